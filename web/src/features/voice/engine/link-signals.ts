import type { CallId } from '@pressel/contract/calls';
import type { ParticipantId } from '@pressel/contract/ids';
import { GATHERING_MAX_CANDIDATES } from '@pressel/contract/limits';
import type { LinkSignal } from './peer-link.ts';
import type { Clock, Stop } from './platform.ts';
import type { Signalling } from './types.ts';

/** Sends and receives the signals of links. */
export interface LinkSignals {
  /** `name`: the link's name; undefined for clients that have a single connection. */
  send(to: ParticipantId, name: string | undefined, signal: LinkSignal): void;
  on(handler: (from: ParticipantId, arrival: ReceivedSignal) => void): Stop;
}

const named = (name: string | undefined) => (name === undefined ? {} : { link: name });

/**
 * Signals between the participants of a room. Acknowledgements are ignored: the links' timeouts recover from lost
 * signals.
 */
export const roomSignals = (signalling: Signalling): LinkSignals => ({
  send(to, name, signal) {
    if (signal.type === 'candidate') {
      const candidate = toPayload(signal.candidate);
      void signalling.send('candidate', { candidate, candidateReceiveID: to, ...named(name) });
    } else if (signal.type === 'offer') {
      const sdp = { type: 'offer' as const, sdp: signal.sdp };
      void signalling.send('offer', { sdp, offerReceiveID: to, ...named(name) });
    } else {
      const sdp = { type: 'answer' as const, sdp: signal.sdp };
      void signalling.send('answer', { sdp, answerReceiveID: to, ...named(name) });
    }
  },
  on(handler) {
    const stops = [
      signalling.on('getOffer', ({ offerSendID, link, sdp }) => handler(offerSendID, { link, signal: sdp })),
      signalling.on('getAnswer', ({ answerSendID, link, sdp }) => handler(answerSendID, { link, signal: sdp })),
      signalling.on('getCandidate', ({ candidateSendID, link, candidate }) =>
        handler(candidateSendID, { link, signal: { type: 'candidate', candidate: toInit(candidate) } }),
      ),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
});

/** Signals between the two of a one-to-one call; `other` is the one who isn't self. */
export const callSignals = (signalling: Signalling, callId: CallId, other: ParticipantId): LinkSignals => ({
  send(_to, name, signal) {
    const payload =
      signal.type === 'candidate'
        ? { type: 'candidate' as const, candidate: toPayload(signal.candidate) }
        : { type: signal.type, sdp: signal.sdp };
    // Sound: the type says which of the two descriptions it is.
    void signalling.send('call_signal', { callId, signal: payload as { type: 'offer'; sdp: string }, ...named(name) });
  },
  on: (handler) =>
    signalling.on('call_signal', (news) => {
      const { link, signal } = news;
      if (news.callId !== callId || signal.type === 'video') return;
      const read = signal.type === 'candidate' ? { ...signal, candidate: toInit(signal.candidate) } : signal;
      handler(other, { link, signal: read });
    }),
});

const toPayload = (candidate: RTCIceCandidateInit | null) =>
  candidate === null ? null : { ...candidate, candidate: candidate.candidate ?? '' };

/** Drops undefined fields: the contract allows undefined, the browser's type does not. */
const toInit = (
  candidate: {
    candidate: string;
    sdpMid?: string | null | undefined;
    sdpMLineIndex?: number | null | undefined;
    usernameFragment?: string | null | undefined;
  } | null,
): RTCIceCandidateInit | null =>
  candidate === null
    ? null
    : {
        candidate: candidate.candidate,
        sdpMid: candidate.sdpMid ?? null,
        sdpMLineIndex: candidate.sdpMLineIndex ?? null,
        usernameFragment: candidate.usernameFragment ?? null,
      };

/** The pause after the first replacement; doubled after each further one. Honest rebuilds are slower (LINK6). */
export const REPLACE_FIRST_MS = 1_000;
export const REPLACE_MAX_MS = 8_000;
/** A link that stayed connected for this long is honest: the pauses start anew. */
export const STABLE_MS = 30_000;
/** A signal as it came; `link` is undefined from clients with a single connection. */
export interface ReceivedSignal {
  link: string | undefined;
  signal: LinkSignal;
}

/** Limits the rate of links that one participant's offers make: each costs a peer connection [LINK10]. */
export interface OfferPacer {
  /**
   * Takes a signal that doesn't belong to the current link: an offer of a new one, or a signal of an offer that waits.
   */
  receive(arrival: ReceivedSignal): void;
  /** Call at each change of the current link's state. */
  setConnected(isConnected: boolean): void;
  close(): void;
}

export interface OfferPacerDeps {
  clock: Clock;
  /** How long the person must wait for a further link, whichever of their participants offers it, ms [LINK12]. */
  waitMs(): number;
  /** Makes a link from an offer and its candidates; returns false if it ignores the offer. */
  build(arrivals: readonly ReceivedSignal[]): boolean;
}

export const createOfferPacer = ({ clock, waitMs, build }: OfferPacerDeps): OfferPacer => {
  /** Number of links that offers made since a stable one. */
  let built = 0;
  let pauseUntil = Number.NEGATIVE_INFINITY;
  let connectedAt: number | null = null;
  /** The offer that waits for the end of the pause, followed by its candidates. */
  let waiting: ReceivedSignal[] = [];
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
