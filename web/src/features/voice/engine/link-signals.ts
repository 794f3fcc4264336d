import type { CallId } from '@pressel/contract/calls';
import type { ParticipantId } from '@pressel/contract/ids';
import type { Arrival } from './offer-pacer.ts';
import type { LinkSignal } from './peer-link.ts';
import type { Stop } from './platform.ts';
import type { Signalling } from './types.ts';

/** How signals of links get to others and come from them. */
export interface LinkSignals {
  /** `name`: of the link; undefined for clients that have a single connection. */
  send(to: ParticipantId, name: string | undefined, signal: LinkSignal): void;
  on(handler: (from: ParticipantId, arrival: Arrival) => void): Stop;
}

const named = (name: string | undefined) => (name === undefined ? {} : { link: name });

/** Between the participants of a room. Acknowledgements are ignored: the links' timeouts recover from lost signals. */
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

/** Between the two of a one-to-one call, of whom `other` isn't self. */
export const callSignals = (signalling: Signalling, callId: CallId, other: ParticipantId): LinkSignals => ({
  send(_to, name, signal) {
    const payload =
      signal.type === 'candidate'
        ? { type: 'candidate' as const, candidate: toPayload(signal.candidate) }
        : { type: signal.type, sdp: signal.sdp };
    // Sound: the type says of which of the two descriptions it is.
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
