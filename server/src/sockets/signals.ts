import { GATHERING_MAX_CANDIDATES } from '@pressel/contract/limits';
import type { ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import { createShares, type Share, type Sharer, type Shares } from '@pressel/contract/shares';
import * as z from 'zod';
import type { Relay } from '#src/processes/relay.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { Socket, Sockets } from './sockets.ts';

/** Limited signals. Answers are unlimited: a page reads one for each of its own offers, and ignores all others. */
export type Limited = 'offer' | 'candidate';

const SHARES: Readonly<Record<Limited, Share>> = {
  /**
   * Each offer costs the receiver a negotiation. Three tabs of one person that lose their socket every ten seconds, or whose
   * links all restart every five, stay below it.
   */
  offer: { atOnce: 20, everyMs: 1_000 },
  /**
   * Each candidate makes the receiver's browser send checks to an address that the sender chose. One gathering follows each
   * offer or answer. Three such tabs gather six times at once, and then six times in ten seconds. This allows ten times at
   * once, and then once in 1.2 s.
   */
  candidate: { atOnce: 10 * GATHERING_MAX_CANDIDATES, everyMs: 1_200 / GATHERING_MAX_CANDIDATES },
};

/** Counts a signal within the limit. @returns how long until one more is relayed, ms; 0: this one is relayed */
type LimitSignals = (signal: Limited, sharer: Sharer, receiver: Socket) => number;

/** The sender's share of the limits: a person has one, and all guests of a link together have one. */
export const sharerOf = ({ data: { session } }: Pick<Socket, 'data'>): Sharer => ({
  person: session.userId,
  guestsOf: session.guest?.linkId,
});

/**
 * Limits the offers and candidates of one person, and of all guests of one link, to each socket [LINK11] [LINK13].
 * @param now a monotonic clock, ms
 */
export const createSignalLimit = (now: () => number): LimitSignals => {
  // Keyed by the receiver's socket, not its id, so that nothing is kept about sockets that are gone or never existed.
  const byReceiver = new WeakMap<Socket, Record<Limited, Shares>>();
  return (signal, sharer, receiver) => {
    const all = byReceiver.get(receiver) ?? {
      offer: createShares(SHARES.offer, now),
      candidate: createShares(SHARES.candidate, now),
    };
    byReceiver.set(receiver, all);
    const shares = all[signal];
    const waitMs = shares.waitMs(sharer);
    // A refused signal costs nobody anything.
    if (waitMs === 0) shares.take(sharer);
    return waitMs;
  };
};

/** A signal from one client to another, whichever process holds it. */
export interface Signal<E extends ServerEventName> {
  event: E;
  payload: ServerPayload<E>;
  /** The participant, or the socket, that receives it. */
  to: string;
  /** Rooms that both share: the signal reaches only receivers in one of them. */
  audiences: readonly string[];
  /** Null: no limit. */
  limited: Limited | null;
}

export interface Signals {
  /** @throws AppError too_many: for a receiver of this process; other processes silently drop what exceeds the limit */
  pass<E extends ServerEventName>(sender: Socket, signal: Signal<E>): void;
}

export interface SignalsDeps {
  /** The name of these signals between processes. */
  topic: string;
  relay: Relay | null;
  sockets: Pick<Sockets, 'local'>;
  /** Finds the socket of this process that receives a signal. */
  find(to: string): Socket | null;
  /** A monotonic clock, ms. */
  now(): number;
}

/** A signal between processes. The sender's process has checked its content. An unknown kind of limit counts as an offer. */
const relayed = z.object({
  event: z.string(),
  payload: z.unknown(),
  to: z.string(),
  audiences: z.array(z.string()),
  limited: z.enum(['offer', 'candidate']).nullable().catch('offer'),
  sharer: z.object({ person: z.string(), guestsOf: z.string().nullable().optional() }),
});

/**
 * Passes signals on, within the limits of LINK11 and LINK13. The receiver's process counts them: senders may be spread over many
 * processes, and must not get around a receiver's limit that way (PROC36).
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
      if (receiver === null) return relay?.send(topic, { ...signal, sharer: sharerOf(sender) });
      if (receiver === sender) return;
      const waitMs = signal.limited === null ? 0 : waitFor(signal.limited, sharerOf(sender), receiver);
      if (waitMs > 0) throw new AppError('too_many', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
      emit(signal as unknown as Signal<ServerEventName>);
    },
  };
}
