import { GATHERING_MAX_CANDIDATES } from '@pressel/contract/limits';
import type { LinkSignal } from './peer-link.ts';
import type { Clock, Stop } from './platform.ts';

/** The pause after the first replacement; doubled after each further one. Honest rebuilds are slower (LINK6). */
export const REPLACE_FIRST_MS = 1_000;
export const REPLACE_MAX_MS = 8_000;
/** A link that was connected for this long is an honest one: the pauses start anew. */
export const STABLE_MS = 30_000;
/** A signal as it came; `link` is undefined from clients with a single connection. */
export interface Arrival {
  link: string | undefined;
  signal: LinkSignal;
}

/** Paces the links that one participant's offers make: each costs a peer connection [LINK10]. */
export interface OfferPacer {
  /** A signal that isn't of the current link: an offer of a new one, or what belongs to an offer that waits. */
  receive(arrival: Arrival): void;
  /** Call at each change of the current link's state. */
  setConnected(isConnected: boolean): void;
  close(): void;
}

export interface OfferPacerDeps {
  clock: Clock;
  /** How long the person may have no further link, whoever of their participants offers it, ms [LINK12]. */
  waitMs(): number;
  /** Makes a link of an offer and its candidates, unless it is ignored: then it returns false. */
  build(arrivals: readonly Arrival[]): boolean;
}

export const createOfferPacer = ({ clock, waitMs, build }: OfferPacerDeps): OfferPacer => {
  /** Links that offers made since a stable one. */
  let built = 0;
  let pauseUntil = Number.NEGATIVE_INFINITY;
  let connectedAt: number | null = null;
  /** The offer that waits for the end of the pause, followed by its candidates. */
  let waiting: Arrival[] = [];
  let cancel: Stop = () => undefined;

  const forgive = () => {
    if (connectedAt === null || clock.now() - connectedAt < STABLE_MS) return;
    built = 0;
    pauseUntil = Number.NEGATIVE_INFINITY;
  };

  const admit = () => {
    const pause = Math.max(pauseUntil - clock.now(), waitMs());
    if (pause > 0) {
      cancel = clock.after(pause, admit);
      return;
    }
    const arrivals = waiting;
    waiting = [];
    if (!build(arrivals)) return;
    built += 1;
    if (built > 1) pauseUntil = clock.now() + Math.min(REPLACE_FIRST_MS * 2 ** (built - 2), REPLACE_MAX_MS);
  };

  return {
    receive(arrival) {
      if (arrival.signal.type !== 'offer') {
        const [offer] = waiting;
        if (offer?.link === arrival.link && waiting.length <= GATHERING_MAX_CANDIDATES) waiting.push(arrival);
        return;
      }
      forgive();
      cancel();
      waiting = [arrival];
      admit();
    },
    setConnected(isConnected) {
      forgive();
      connectedAt = isConnected ? clock.now() : null;
    },
    close() {
      cancel();
      waiting = [];
    },
  };
};
