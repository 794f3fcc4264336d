import { createNewsLine, createSendingGate, createVideoLine, type LinkNews } from './link-lines.ts';
import type { Clock, Platform, Stop } from './platform.ts';
import type { PeerState } from './types.ts';
import type { Picture } from './video.ts';

/** Interrupted connections often recover by themselves within this time (measured); after it, ICE is restarted. */
export const INTERRUPTED_GRACE_MS = 5_000;
/** Time limit of a connection attempt, first or restarted. */
export const ATTEMPT_MS = 10_000;
/** After this many failed attempts the connection is closed, and the mesh builds a new one. */
const ATTEMPTS_MAX = 3;
/** The answerer takes over after this time without connection and without offer. Longer than ATTEMPT_MS. */
export const TAKE_OVER_MS = 13_000;

export type LinkSignal =
  | { type: 'offer' | 'answer'; sdp: string }
  | { type: 'candidate'; candidate: RTCIceCandidateInit | null };

/** `unmeasured`: packets that don't tell how loud they are; their sender may send silence. */
export type ReceivedAudio = 'nothing' | 'silence' | 'sound' | 'unmeasured';

export interface PeerLinkOptions {
  /** Fixed for the life of the connection: only the offerer offers, so offers never collide on a link. */
  role: 'offerer' | 'answerer';
  /** Id of this connection, made by the offerer, included in each of its signals. */
  link: string;
  platform: Pick<Platform, 'clock' | 'createPeerConnection'>;
  configuration: RTCConfiguration;
  track: MediaStreamTrack | null;
  sending: boolean;
  send(signal: LinkSignal): void;
  onState(state: PeerState): void;
  /** Called once, with the remote audio track. */
  onTrack(track: MediaStreamTrack): void;
  /** Pictures in both directions; `picture` is self's at first. Null: none are sent or received [VID1]. */
  video: { picture: Picture | null; onTrack(track: MediaStreamTrack): void } | null;
  /** Texts beside the voices. Null: none are sent or received. */
  news: LinkNews | null;
  /** Called once, never after close: the connection failed ATTEMPTS_MAX times, or the browser rejected a step. */
  onDead(): void;
}

/** One RTCPeerConnection to one participant: a bidirectional audio transceiver, and one for video where both want it. */
export interface PeerLink {
  readonly link: string;
  readonly role: 'offerer' | 'answerer';
  /** Whether the first offer of this connection has not been answered yet. */
  isUnanswered(): boolean;
  receive(signal: LinkSignal): void;
  setSending(sending: boolean): void;
  /** Stops sending now: cuts the end of the last words, so that nothing of the next words gets through. */
  cutSending(): void;
  /** Sends a text beside the voice, if the link is open. */
  tell(text: string): void;
  /**
   * Replaces the sent track (null for none) without renegotiation. Resolves when the new track is sent; never rejects.
   */
  setTrack(track: MediaStreamTrack | null): Promise<void>;
  /** Shows another picture (null for none) without renegotiation. Ignored on links without video. */
  setPicture(picture: Picture | null): void;
  /** Sets new ICE servers. The offerer restarts ICE at once; the answerer uses them at the next offer. */
  setConfiguration(configuration: RTCConfiguration): void;
  /** Audio level of the other side, 0..1, from its RTP packets. */
  level(): number;
  /** The part of the other side's voice that has arrived since the last call, played or not. */
  arrival(): ReceivedAudio;
  /**
   * How long the jitter buffer delayed the other side's voice since the last call, ms on average: what voice waited
   * there, or what the browser aimed at, if that is more. A packet that comes late waits less than the buffer's delay.
   * 0 if there was no voice, or if that is unknown.
   */
  bufferedMs(): Promise<number>;
  /** Final and idempotent. */
  close(): void;
}

export const createPeerLink = (options: PeerLinkOptions): PeerLink => {
  const { role, platform, send } = options;
  const { clock } = platform;
  const { video } = options;
  const pc = platform.createPeerConnection(complete(options.configuration, video !== null));
  const gate = createSendingGate(clock, options.sending);
  const line = createVideoLine(clock, video?.picture ?? null);
  const newsLine = options.news && createNewsLine(pc, clock, options.news);
  const timers = createTimers(clock);
  let track = options.track;
  let transceiver: RTCRtpTransceiver | null = null;
  let videoTransceiver: RTCRtpTransceiver | null = null;
  let state: PeerState = 'connecting';
  let isClosed = false;
  let hasBeenAnswered = false;
  let isOfferOut = false;
  let failedAttempts = 0;
  /** RTP time at the last call of `arrival`. */
  let lastRtpTime: number | undefined;
  /** Reading of the last `bufferedMs`: total seconds of waiting and of the aim, and number of samples. */
  let lastWaiting = { waited: 0, aimed: 0, samples: 0 };
  /** Candidates that arrived before their description. */
  let early: (RTCIceCandidateInit | null)[] = [];
  /** Chain of negotiation steps, which run one after the other. */
  let steps: Promise<void> = Promise.resolve();

  const enqueue = (step: () => Promise<void>) => {
    steps = steps.then(async () => {
      if (isClosed) return;
      try {
        await step();
      } catch {
        // A rejected step leaves the connection in an unknown state, so it is replaced by a new one.
        giveUp();
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
    line.close();
    pc.ondatachannel = null;
    pc.onicecandidate = null;
    pc.onconnectionstatechange = null;
    pc.close();
  };

  const giveUp = () => {
    if (isClosed) return;
    setState('failed');
    close();
    options.onDead();
  };

  /** The attempt failed. The offerer restarts ICE; the answerer waits for its offer. */
  const fail = () => {
    failedAttempts += 1;
    if (role === 'answerer') {
      timers.set(TAKE_OVER_MS, takeOver);
      return;
    }
    if (failedAttempts >= ATTEMPTS_MAX || isOfferOut) giveUp();
    else restart();
  };

  /**
   * Called at the time limit. Restarting a working connection doesn't change its state, and the connection goes on
   * without the answer.
   */
  const expire = () => {
    if (pc.connectionState !== 'connected') fail();
    else if (isOfferOut) offerAgain();
  };

  /** The offer or its answer was lost on the way. The other side may answer the same offer twice. */
  const offerAgain = () => {
    timers.set(ATTEMPT_MS, expire);
    enqueue(async () => {
      if (isOfferOut) sendDescription();
    });
  };

  const takeOver = () => {
    if (pc.connectionState !== 'connected') giveUp();
  };

  const restart = () => {
    // An unanswered offer already carries new candidates; a second one would collide with its answer.
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
      // Not addTransceiver: such a transceiver is never associated with the offer's m-line (RFC 8829 §5.10).
      transceiver = offered('audio');
      if (video !== null) videoTransceiver = offered('video');
      if (transceiver === null) throw new Error('an offer without audio');
      transceiver.direction = 'sendrecv';
      if (videoTransceiver !== null) videoTransceiver.direction = 'sendrecv';
      await transceiver.sender.replaceTrack(track);
      tellTracks();
    }
    refuseOthers();
    await pc.setLocalDescription();
    sendDescription();
    // Not earlier: parameters set before the local answer is applied are lost (measured). The default is active.
    if (!isFirst || transceiver === null || isClosed) return;
    gate.attach(transceiver.sender, true);
    if (videoTransceiver !== null) line.attach(videoTransceiver.sender);
  };

  const offered = (kind: 'audio' | 'video') =>
    pc.getTransceivers().find(({ receiver }) => receiver.track.kind === kind) ?? null;

  /** Refuses the offer's other lines in both directions: otherwise they would be received [VID2]. */
  const refuseOthers = () => {
    for (const one of pc.getTransceivers()) {
      if (one !== transceiver && one !== videoTransceiver) one.direction = 'inactive';
    }
  };

  const tellTracks = () => {
    if (transceiver !== null && !isClosed) options.onTrack(transceiver.receiver.track);
    if (videoTransceiver !== null && !isClosed) video?.onTrack(videoTransceiver.receiver.track);
  };

  const takeAnswer = async (sdp: string) => {
    if (!isOfferOut) return;
    await pc.setRemoteDescription({ type: 'answer', sdp });
    isOfferOut = false;
    await addEarlyCandidates();
    if (hasBeenAnswered || transceiver === null || isClosed) return;
    hasBeenAnswered = true;
    gate.attach(transceiver.sender, options.sending);
    if (videoTransceiver !== null) line.attach(videoTransceiver.sender);
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
      // Ignored: a single unusable candidate (earlier ICE generation, unknown type) doesn't prevent a connection.
    }
  };

  // Other channels than that of the news mean nothing here, and floods of them were seen to crash a browser [TALK117].
  pc.ondatachannel = ({ channel }) => channel.close();
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
    if (video !== null) videoTransceiver = pc.addTransceiver('video', { direction: 'sendrecv' });
    enqueue(async () => tellTracks());
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
    cutSending: gate.cut,
    tell: (text) => newsLine?.tell(text),
    setTrack(next) {
      track = next;
      enqueue(async () => {
        // Applies the latest track only. Without a transceiver yet, creating it will use `track`.
        if (next === track) await transceiver?.sender.replaceTrack(next);
      });
      return steps;
    },
    setPicture: line.set,
    setConfiguration(configuration) {
      if (isClosed) return;
      pc.setConfiguration(complete(configuration, video !== null));
      restart();
    },
    level: () => transceiver?.receiver.getSynchronizationSources()[0]?.audioLevel ?? 0,
    async bufferedMs() {
      // A link that was closed meanwhile has nothing to play.
      const reports = await transceiver?.receiver.getStats().catch(() => null);
      const before = lastWaiting;
      for (const report of reports?.values() ?? []) {
        if (report.type !== 'inbound-rtp') continue;
        lastWaiting = {
          waited: report.jitterBufferDelay ?? 0,
          aimed: report.jitterBufferTargetDelay ?? 0,
          samples: report.jitterBufferEmittedCount ?? 0,
        };
      }
      const samples = lastWaiting.samples - before.samples;
      const delayed = Math.max(lastWaiting.waited - before.waited, lastWaiting.aimed - before.aimed);
      return samples > 0 ? (delayed / samples) * 1000 : 0;
    },
    arrival() {
      const source = transceiver?.receiver.getSynchronizationSources()[0];
      const isNew = source !== undefined && source.rtpTimestamp !== lastRtpTime;
      lastRtpTime = source?.rtpTimestamp;
      if (!isNew) return 'nothing';
      if (source.audioLevel === undefined) return 'unmeasured';
      // A sender whose microphone is closed may still send silence.
      return source.audioLevel === 0 ? 'silence' : 'sound';
    },
    close,
  };
};

/**
 * With video one transport is used from the start, not a second one until the answer refuses it. Without video the news
 * channel may have its own transport at first: clients without BUNDLE link only the voice.
 */
const complete = (configuration: RTCConfiguration, hasVideo: boolean): RTCConfiguration =>
  hasVideo ? { ...configuration, bundlePolicy: 'max-bundle' } : configuration;

/** A single timer; setting it replaces the previous one. */
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
