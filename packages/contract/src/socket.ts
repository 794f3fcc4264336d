import { errorCode, errorParams } from './errors.ts';
import { z } from './zod.ts';

/** An event that a client sends. `ack` is the shape of the answer's data. */
export interface ClientEvent<Payload extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  /** Guests may send it too. All others are refused to them (GUEST6). */
  readonly forGuests?: true;
  readonly payload: Payload;
  readonly ack: Answer;
}
/** An event that the server sends. */
export interface ServerEvent<Payload extends z.ZodType = z.ZodType> {
  /** Guests are sent it too, and none of the others (GUEST7). */
  readonly forGuests?: true;
  readonly payload: Payload;
}

export const clientEvent = <P extends z.ZodType, A extends z.ZodType>(payload: P, ack: A): ClientEvent<P, A> => ({
  payload,
  ack,
});
export const serverEvent = <P extends z.ZodType>(payload: P): ServerEvent<P> => ({ payload });

/** Opens an event to guests. What it tells them is decided where it is handled. */
export const forGuests = <E extends ClientEvent | ServerEvent>(event: E): E => ({ ...event, forGuests: true });

/** Empty acknowledgement data, for events that only need to be confirmed. */
export const done = z.object({});

export const ackFailure = z.object({ ok: z.literal(false), code: errorCode, params: errorParams });
export type AckFailure = z.infer<typeof ackFailure>;
/** The acknowledgement of an event: its data, or the code and params of a refused call. */
export const ackOf = <A extends z.ZodType>(data: A) =>
  z.discriminatedUnion('ok', [z.object({ ok: z.literal(true), data }), ackFailure]);
