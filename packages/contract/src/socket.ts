import { type ErrorCode, errorCode, errorParams } from './errors.ts';
import { channelId } from './ids.ts';
import { onDemand, z } from './zod.ts';

/** An event that a client sends. `ack` is the shape of the answer's data. */
export interface ClientEvent<Payload extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  /** Guests may send it too. Events without this are refused to them (GUEST6). */
  readonly forGuests?: true;
  readonly payload: Payload;
  readonly ack: Answer;
  /** Error codes in addition to `COMMON_EVENT_ERRORS`. The server logs `undeclared_error` when it answers another code. */
  readonly errors: readonly ErrorCode[];
}
/** An event that the server sends. */
export interface ServerEvent<Payload extends z.ZodType = z.ZodType> {
  /** The server sends it to guests too. Events without this never go to them (GUEST7). */
  readonly forGuests?: true;
  readonly payload: Payload;
}

/** Defines an event of clients. Its schemas are made when they are first read. */
export function clientEvent<P extends z.ZodType, A extends z.ZodType>(
  payload: () => P,
  ack: () => A,
  errors: readonly ErrorCode[] = [],
): ClientEvent<P, A> {
  const payloadOnDemand = onDemand(payload);
  const ackOnDemand = onDemand(ack);
  return {
    get payload() {
      return payloadOnDemand();
    },
    get ack() {
      return ackOnDemand();
    },
    errors,
  };
}

/** Defines an event of the server. Its schema is made when it is first read. */
export function serverEvent<P extends z.ZodType>(payload: () => P): ServerEvent<P> {
  const payloadOnDemand = onDemand(payload);
  return {
    get payload() {
      return payloadOnDemand();
    },
  };
}

/** Error codes with which any event can be answered. `forbidden`: to guests, unless the event is for them. */
export const COMMON_EVENT_ERRORS: readonly ErrorCode[] = [
  'malformed',
  'unauthenticated',
  'forbidden',
  'too_many',
  'internal',
  'unavailable',
];

/** Opens an event to guests. Its handler decides what it tells them. */
export const forGuests = <E extends ClientEvent | ServerEvent>(event: E): E => changed(event, { forGuests: true });

/** Events for those who are in a room: all others are answered `not_in_room`. */
export const forRooms = <Events extends Record<string, ClientEvent>>(events: Events): Events => {
  const closed = Object.entries(events).map(([name, event]) => [
    name,
    changed(event, { errors: [...event.errors, 'not_in_room'] }),
  ]);
  // Each event is as before, with one more error code.
  return Object.fromEntries(closed) as Events;
};

/** Returns an event with other fields. Its schemas are not made yet: a spread would make them. */
function changed<E extends ClientEvent | ServerEvent>(event: E, fields: Partial<ClientEvent>): E {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(event));
  return Object.assign(copy, fields) as E;
}

/** The payload of an event about a room. A client in one room may leave `channelId` out; one in several is answered not_in_room (PRES29). */
export const inRoom = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ ...shape, channelId: channelId.optional() });

export const done = z
  .object({})
  .meta({ description: 'Empty acknowledgement data, for events that only need to be confirmed.' });

export const ackFailure = z.object({ ok: z.literal(false), code: errorCode, params: errorParams });
export type AckFailure = z.infer<typeof ackFailure>;
/** The acknowledgement of an event: its data, or the code and params of a refused call. */
export const ackOf = <A extends z.ZodType>(data: A) =>
  z.discriminatedUnion('ok', [z.object({ ok: z.literal(true), data }), ackFailure]);
