import type { ErrorCode } from '@pressel/contract/errors';
import {
  type Ack,
  type ClientEventName,
  clientEvents,
  type EventAnswer,
  type EventPayload,
} from '@pressel/contract/realtime';
import { type AckFailure, COMMON_EVENT_ERRORS } from '@pressel/contract/socket';
import type { FastifyBaseLogger } from 'fastify';
import { databaseTrouble } from '#src/db/errors.ts';
import { addressKey } from '#src/limits/rate-limit.ts';
import { isNoted } from '#src/limits/refusals.ts';
import { currentRequest, forRequest } from '#src/logs/log.ts';
import { AppError, failureBody, parseInput } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import type { GatewayOptions, Socket } from './gateway.ts';

/** Far longer than any name of the contract. */
const EVENT_NAME_MAX = 64;

/** Makes the schemas of all events at the start, so that a wrong one ends the start rather than a connection. */
const makeSchemas = () => Object.values(clientEvents).map(({ payload, ack }) => [payload, ack]);

const isClientEvent = (event: string): event is ClientEventName => Object.hasOwn(clientEvents, event);

/** Whether the socket is a guest's, and the contract doesn't open the event to guests (GUEST6). */
const isClosedToGuests = (socket: Socket, event: ClientEventName): boolean =>
  socket.data.session.role === 'guest' && clientEvents[event].forGuests !== true;

/** Answers a failed event by its acknowledgement. Without one it sends an `error` event, within its allowance. */
function answerFailure(socket: Socket, event: string, args: readonly unknown[], failure: AckFailure): void {
  const reply = args.at(-1);
  if (typeof reply === 'function') {
    reply(failure);
    return;
  }
  if (!socket.data.complaints.take()) return;
  socket.emit('error', { ...failureBody(failure.code, failure.params), event: event.slice(0, EVENT_NAME_MAX) });
}

/** Answers unknown events with `not_found`, and guests' forbidden ones with `forbidden`. They count for the socket's allowance. */
export function refuseUnknownEvents(socket: Socket, contract: string): void {
  socket.onAny((name: unknown, ...args: unknown[]) => {
    const event = String(name);
    const isKnown = isClientEvent(event);
    // The event's own listener answers. Events that aren't for guests have none on a guest's socket.
    if (isKnown && !isClosedToGuests(socket, event)) return;
    const refused: AckFailure = isKnown
      ? { ok: false, code: 'forbidden', params: {} }
      : { ok: false, code: 'not_found', params: { what: 'event', contract } };
    const failure: AckFailure = socket.data.allowance.take()
      ? refused
      : { ok: false, code: 'too_many', params: { retryAfterSeconds: 1 } };
    answerFailure(socket, event, args, failure);
  });
}

export type ListenOn = <E extends ClientEventName>(
  socket: Socket,
  event: E,
  handle: (payload: EventPayload<E>, socket: Socket) => Promise<EventAnswer<E>>,
) => void;

/**
 * Handles an event of the contract: allowance, then validation, then the handler, then the answer in the contract's
 * shape. The outcome is always an acknowledgement, or an `error` event where there can be none.
 * Nothing throws past here.
 */
export function createListener({
  log,
  metrics,
  refusals,
  version,
}: Pick<GatewayOptions, 'log' | 'metrics' | 'refusals' | 'version'>): ListenOn {
  makeSchemas();
  return (socket, event, handle) => {
    // `refuseUnknownEvents` answers them.
    if (isClosedToGuests(socket, event)) return;
    const { payload: schema, ack: answer } = clientEvents[event];
    const serve = async (input: unknown): Promise<unknown> => {
      if (!socket.data.allowance.take()) throw new AppError('too_many', { retryAfterSeconds: 1 });
      // A socket may have to wait until it is taken in. Its page needs a sign of life all the same (TALK102).
      if (event === 'beat' && !socket.data.participant.isTakenIn) throw new AppError('not_in_room');
      await socket.data.registered;
      // The schemas of one event belong together; TypeScript cannot follow the union through the lookup.
      const data = await handle(parseInput(schema, input) as EventPayload<typeof event>, socket);
      return answer.parse(data);
    };
    const heard = (error: ErrorCode | null): void => {
      metrics.heard(event, error);
      log.debug({ event, error }, 'event_answered');
    };
    const respond = (args: readonly unknown[]): void => {
      const reply = args.at(-1);
      serve(typeof args[0] === 'function' ? {} : args[0])
        .then(
          (data) => {
            heard(null);
            if (typeof reply === 'function') reply({ ok: true, data } as Ack<typeof event>);
          },
          (error: unknown) => {
            const failed = failedAck(error, event, log, version.contract);
            heard(failed.code);
            if (isNoted(error)) {
              const { userId, address } = socket.data.session;
              refusals.note('event_refused', addressKey(address ?? ''), { event, code: error.code, userId });
            }
            if (!isDeclared(event, failed)) log.error({ event, code: failed.code }, 'undeclared_error');
            answerFailure(socket, event, args, failed);
          },
        )
        .catch((error: unknown) => log.error({ err: error, event }, 'ack_failed'));
    };
    const listener = (...args: unknown[]) => forRequest(uuidV7(), () => respond(args));
    // The typing of `on` cannot be met by a listener that trusts nothing about its arguments.
    socket.on(event, listener as never);
  };
}

/** Whether the contract lists this error for the event. If not, the contract is wrong. */
const isDeclared = (event: ClientEventName, { code }: AckFailure): boolean =>
  clientEvents[event].errors.includes(code) || COMMON_EVENT_ERRORS.includes(code);

function failedAck(error: unknown, event: string, log: FastifyBaseLogger, contract: string): AckFailure {
  if (error instanceof AppError) {
    const { code, params } = error;
    // A client whose message can't be parsed may speak another contract (APP19).
    return { ok: false, code, params: code === 'malformed' ? { ...params, contract } : params };
  }
  log.error({ err: error, event }, 'event_failed');
  const trouble = databaseTrouble(error);
  if (trouble !== null) {
    return { ok: false, code: 'unavailable', params: { retryAfterSeconds: trouble.retryAfterSeconds } };
  }
  const id = currentRequest();
  return { ok: false, code: 'internal', params: id === undefined ? {} : { requestId: id } };
}
