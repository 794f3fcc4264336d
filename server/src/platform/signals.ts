import type { ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import * as z from 'zod';
import { AppError } from '#src/shared/app-error.ts';
import type { Relay } from '#src/shared/relay.ts';
import { createSignalLimit, type Limited, sharerOf } from '#src/shared/signal-limit.ts';
import type { Socket, Sockets } from './sockets.ts';

/** A signal from one client to another, whichever process holds it. */
export interface Signal<E extends ServerEventName> {
  event: E;
  payload: ServerPayload<E>;
  /** The participant, or the socket, that it is for. */
  to: string;
  /** It is relayed only to who is in one of these: rooms that the two share. */
  audiences: readonly string[];
  /** Null: as many as anybody likes. */
  limited: Limited | null;
}

export interface Signals {
  /** @throws AppError too_many: to a receiver of this process; one of another process drops what is too much */
  pass<E extends ServerEventName>(sender: Socket, signal: Signal<E>): void;
}

export interface SignalsDeps {
  /** What these signals are called between processes. */
  topic: string;
  relay: Relay | null;
  sockets: Pick<Sockets, 'local'>;
  /** The socket of this process that a signal is for. */
  find(to: string): Socket | null;
  /** A monotonic clock, ms. */
  now(): number;
}

/** A signal between processes. Its content was checked where it came in. One that is limited otherwise by another version counts as an offer. */
const relayed = z.object({
  event: z.string(),
  payload: z.unknown(),
  to: z.string(),
  audiences: z.array(z.string()),
  limited: z.enum(['offer', 'candidate']).nullable().catch('offer'),
  sharer: z.object({ person: z.string(), guestsOf: z.string().nullable().optional() }),
});

/**
 * Passes signals on, within the limits of LINK11 and LINK13. The process of the receiver counts: each of many senders may be in another
 * process, and a receiver must not be reached without a limit by one who is elsewhere (PROC36).
 */
export function createSignals({ topic, relay, sockets, find, now }: SignalsDeps): Signals {
  const waitFor = createSignalLimit(now);
  const emit = ({ audiences, event, payload }: Signal<ServerEventName>): void =>
    sockets.local.to(audiences).emit(event, payload);

  relay?.on(topic, relayed, (signal) => {
    const { limited, sharer } = signal;
    const receiver = find(signal.to);
    if (receiver === null || !signal.audiences.some((name) => receiver.rooms.has(name))) return;
    if (limited === null || waitFor(limited, sharer, receiver) === 0) emit(signal as Signal<ServerEventName>);
  });

  return {
    pass(sender, signal) {
      const receiver = find(signal.to);
      if (receiver === null) return relay?.say(topic, { ...signal, sharer: sharerOf(sender) });
      if (receiver === sender) return;
      const waitMs = signal.limited === null ? 0 : waitFor(signal.limited, sharerOf(sender), receiver);
      if (waitMs > 0) throw new AppError('too_many', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
      emit(signal as unknown as Signal<ServerEventName>);
    },
  };
}
