import type { Clock, Platform, Stop } from './platform.ts';
import { createSendingGate } from './sending-gate.ts';
import type { PeerState } from './types.ts';

/** An interrupted path often heals by itself within this (measured); then a new one is sought. */
export const INTERRUPTED_GRACE_MS = 5_000;
/** An attempt to connect, first or restarted, that is not there after this has failed. */
export const ATTEMPT_MS = 10_000;
/** After so many failed attempts the connection is given up and the mesh builds a new one. */
export const ATTEMPTS_MAX = 3;
/** The answering side takes over when it is without connection and hears no offer for this long: longer than ATTEMPT_MS. */
export const TAKE_OVER_MS = 13_000;

export type LinkSignal =
  | { type: 'offer' | 'answer'; sdp: string }
  | { type: 'candidate'; candidate: RTCIceCandidateInit | null };

export interface PeerLinkOptions {
  /** Fixed for the life of the connection: only the offerer offers, so two offers never meet on one link. */
  role: 'offerer' | 'answerer';
  /** Name of this connection, made by the offerer, carried by each of its signals. */
  link: string;
  platform: Pick<Platform, 'clock' | 'createPeerConnection'>;
  configuration: RTCConfiguration;
  track: MediaStreamTrack | null;
  sending: boolean;
  send(signal: LinkSignal): void;
  onState(state: PeerState): void;
  /** The voice of the other side. Called once. */
  onTrack(track: MediaStreamTrack): void;
  /** Given up after ATTEMPTS_MAX, or refused by the browser. Called once, never after close. */
  onDead(): void;
}

/** One connection to one participant, with one two-way audio line made once for the whole stay. */
export interface PeerLink {
  readonly link: string;
  readonly role: 'offerer' | 'answerer';
  /** An offer of ours is out and unanswered since the connection was made. */
  isUnanswered(): boolean;
  receive(signal: LinkSignal): void;
  setSending(sending: boolean): void;
  /** Another microphone, or none, without renegotiation. */
  setTrack(track: MediaStreamTrack | null): void;
  /** Fresh ICE servers. The offerer looks for a path through them at once, the answerer when it is offered one. */
  setConfiguration(configuration: RTCConfiguration): void;
  /** How loud the other side is, 0..1, as its packets say. */
  level(): number;
  /** Final and idempotent. */
  close(): void;
}

export const createPeerLink = (options: PeerLinkOptions): PeerLink => {
  const { role, platform, send } = options;
  const { clock } = platform;
  const pc = platform.createPeerConnection(options.configuration);
  const gate = createSendingGate(clock, options.sending);
  const timers = createTimers(clock);
  let track = options.track;
  let transceiver: RTCRtpTransceiver | null = null;
  let state: PeerState = 'connecting';
  let isClosed = false;
  let hasBeenAnswered = false;
  let isOfferOut = false;
  let failedAttempts = 0;
  /** Candidates that came before the description they belong to. */
  let early: (RTCIceCandidateInit | null)[] = [];
  /** Steps of the negotiation, one after the other. */
  let steps: Promise<void> = Promise.resolve();

  const enqueue = (step: () => Promise<void>) => {
    steps = steps.then(async () => {
      if (isClosed) return;
      try {
        await step();
      } catch {
        // Whatever the browser refuses here leaves the connection half made: a new one is the only sure way.
        die();
      }
    });
  };

  const setState = (next: PeerState) => {
    if (isClosed || next === state) return;
    state = next;
    options.onState(state);
  };

  const close = () => {
    if (isClosed) return;
    isClosed = true;
    timers.clear();
    gate.close();
    pc.onicecandidate = null;
    pc.onconnectionstatechange = null;
    pc.close();
  };

  const die = () => {
    if (isClosed) return;
    setState('failed');
    close();
    options.onDead();
  };

  /** This attempt came to nothing. The offerer tries again, the answerer waits for that. */
  const fail = () => {
    failedAttempts += 1;
    if (role === 'answerer') {
      timers.set(TAKE_OVER_MS, takeOver);
      return;
    }
    if (failedAttempts >= ATTEMPTS_MAX || isOfferOut) die();
    else restart();
  };

  /** A restart of a connection that works does not change its state: only a missing answer tells that it failed. */
  const expire = () => {
    if (pc.connectionState !== 'connected' || isOfferOut) fail();
  };

  const takeOver = () => {
    if (pc.connectionState !== 'connected') die();
  };

  const restart = () => {
    // An offer that is still unanswered carries fresh candidates already; a second one would cross its answer.
    if (role === 'answerer' || isClosed || isOfferOut) return;
    timers.set(ATTEMPT_MS, expire);
    isOfferOut = true;
    pc.restartIce();
    enqueue(offer);
  };

  const offer = async () => {
    await pc.setLocalDescription();
    sendDescription();
  };

  const sendDescription = () => {
    const description = pc.localDescription;
    if (isClosed || description === null) return;
    if (description.type === 'offer' || description.type === 'answer') {
      send({ type: description.type, sdp: description.sdp });
    }
  };

  const takeOffer = async (sdp: string) => {
    timers.set(TAKE_OVER_MS, takeOver);
    await pc.setRemoteDescription({ type: 'offer', sdp });
    await addEarlyCandidates();
    const isFirst = transceiver === null;
    if (isFirst) {
      // Not addTransceiver before: one made that way is never matched to the offer's line (RFC 8829 §5.10).
      transceiver = pc.getTransceivers()[0] ?? null;
      if (transceiver === null) throw new Error('an offer without audio');
      transceiver.direction = 'sendrecv';
      await transceiver.sender.replaceTrack(track);
      if (!isClosed) options.onTrack(transceiver.receiver.track);
    }
    await pc.setLocalDescription();
    sendDescription();
    // Only now: set before the local answer is applied, parameters do not last (measured). It sends by default.
    if (isFirst && transceiver !== null && !isClosed) gate.attach(transceiver.sender, true);
  };

  const takeAnswer = async (sdp: string) => {
    if (!isOfferOut) return;
    await pc.setRemoteDescription({ type: 'answer', sdp });
    isOfferOut = false;
    await addEarlyCandidates();
    if (hasBeenAnswered || transceiver === null || isClosed) return;
    hasBeenAnswered = true;
    gate.attach(transceiver.sender, options.sending);
  };

  const addEarlyCandidates = async () => {
    const waiting = early;
    early = [];
    for (const candidate of waiting) await addCandidate(candidate);
  };

  const addCandidate = async (candidate: RTCIceCandidateInit | null) => {
    if (pc.remoteDescription === null) {
      early.push(candidate);
      return;
    }
    try {
      await pc.addIceCandidate(candidate);
    } catch {
      // One useless candidate (of an earlier ICE generation, or a kind unknown here) is no reason to give up the rest.
    }
  };

  pc.onicecandidate = ({ candidate }) => {
    if (!isClosed) send({ type: 'candidate', candidate: candidate === null ? null : toInit(candidate) });
  };
  pc.onconnectionstatechange = () => {
    switch (pc.connectionState) {
      case 'connected':
        failedAttempts = 0;
        if (!isOfferOut) timers.clear();
        setState('connected');
        break;
      case 'disconnected':
        setState('interrupted');
        if (role === 'offerer') timers.set(INTERRUPTED_GRACE_MS, isOfferOut ? fail : restart);
        else timers.set(INTERRUPTED_GRACE_MS + TAKE_OVER_MS, takeOver);
        break;
      case 'failed':
        setState('failed');
        fail();
        break;
      default:
        if (state !== 'interrupted') setState('connecting');
    }
  };

  if (role === 'offerer') {
    transceiver = pc.addTransceiver(track ?? 'audio', {
      direction: 'sendrecv',
      sendEncodings: [{ active: options.sending }],
    });
    const { receiver } = transceiver;
    enqueue(async () => options.onTrack(receiver.track));
    timers.set(ATTEMPT_MS, expire);
    isOfferOut = true;
    enqueue(offer);
  } else {
    timers.set(TAKE_OVER_MS, takeOver);
  }

  return {
    link: options.link,
    role,
    isUnanswered: () => role === 'offerer' && !hasBeenAnswered,
    receive(signal) {
      if (signal.type === 'candidate') enqueue(() => addCandidate(signal.candidate));
      else if (signal.type === 'offer' && role === 'answerer') enqueue(() => takeOffer(signal.sdp));
      else if (signal.type === 'answer' && role === 'offerer') enqueue(() => takeAnswer(signal.sdp));
    },
    setSending: gate.set,
    setTrack(next) {
      track = next;
      enqueue(async () => {
        // The newest wish wins; before the line is there, it takes the wish along.
        if (next === track) await transceiver?.sender.replaceTrack(next);
      });
    },
    setConfiguration(configuration) {
      if (isClosed) return;
      pc.setConfiguration(configuration);
      restart();
    },
    level: () => transceiver?.receiver.getSynchronizationSources()[0]?.audioLevel ?? 0,
    close,
  };
};

/** One timer at a time: a new one replaces the one before. */
const createTimers = (clock: Clock) => {
  let cancel: Stop = () => undefined;
  return {
    set(ms: number, run: () => void) {
      cancel();
      cancel = clock.after(ms, run);
    },
    clear: () => cancel(),
  };
};

const toInit = ({ candidate, sdpMid, sdpMLineIndex, usernameFragment }: RTCIceCandidate): RTCIceCandidateInit => ({
  candidate,
  sdpMid,
  sdpMLineIndex,
  usernameFragment,
});
