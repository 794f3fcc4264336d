import { type ClientEventName, clientEvents } from '@pressel/contract/realtime';
import type { AckFailure } from '@pressel/contract/socket';
import { failureBody } from './app-error.ts';
import type { Socket } from './gateway.ts';

/** Far longer than any name of the contract. */
const EVENT_NAME_MAX = 64;

const isClientEvent = (event: string): event is ClientEventName => Object.hasOwn(clientEvents, event);

/** Whether the socket is a guest's, and the contract doesn't open the event to guests (GUEST6). */
export const isClosedToGuests = (socket: Socket, event: ClientEventName): boolean =>
  socket.data.session.role === 'guest' && clientEvents[event].forGuests !== true;

/** Answers a failed event by its acknowledgement. Without one it sends an `error` event, within its allowance. */
export function answerFailure(socket: Socket, event: string, args: readonly unknown[], failure: AckFailure): void {
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
