import type { CallId } from '@pressel/contract/calls';
import type { ParticipantId } from '@pressel/contract/ids';
import type { VideoShown } from '@pressel/contract/presence';
import { createListeners } from '#src/shared/listeners.ts';
import { callSignals } from './link-signals.ts';
import { createMesh } from './mesh.ts';
import { copyMicrophone } from './microphone.ts';
import type { CameraAccess, Stop } from './platform.ts';
import type { EngineDevices } from './room-types.ts';
import type { MicrophoneState, PeerState } from './types.ts';
import { createVideo, type Picture, type VideoSnapshot } from './video.ts';

/** Delay before ICE servers are asked for again. */
const RETRY_MS = 1_000;

/** Immutable; keeps its identity while nothing changes. */
export interface CallMediaSnapshot {
  peer: PeerState;
  microphone: MicrophoneState;
  playback: 'running' | 'blocked';
  /** Whether the chosen loudspeaker is gone: sound comes from the default one. */
  isLoudspeakerGone: boolean;
  video: VideoSnapshot;
  /** The picture that the other user shows; null if there is none. */
  theirs: Picture | null;
}

/**
 * The media of a one-to-one call: both voices at once, over one link of a mesh of two (RING7), and pictures over the
 * same link (RING16).
 */
export interface CallMedia {
  getSnapshot(): CallMediaSnapshot;
  subscribe(listener: () => void): Stop;
  /** Connects: call it when the call was taken. Before that nothing is sent or played. */
  connect(): void;
  /** Opens or closes the microphone: immediate and local. The microphone starts open, from `connect` on. */
  setMicrophoneOn(isOn: boolean): void;
  retryMicrophone(): Promise<void>;
  /** Turns the camera on or off; it starts off. Turning it on again retries a camera that is unavailable. */
  setCamera(isOn: boolean): void;
  /** Shows a screen instead of the camera. Needs a user gesture. */
  shareScreen(): Promise<void>;
  stopSharing(): void;
  /** Tells the other user again what is shown. Call it when one of the two has gone on with the call over another link (RING23). */
  tellAgain(): void;
  /** Needs a user gesture. */
  unlockAudio(): Promise<void>;
  /** Final and idempotent. */
  close(): void;
}

export interface CallMediaDeps {
  callId: CallId;
  /** The callee makes the offer: they took the call, so both users are there. */
  isCaller: boolean;
  /** The page's desk, which the call holds open. */
  engine: EngineDevices;
  cameras: CameraAccess;
  /** Empty for the browser's default. */
  cameraId: string;
}

const PARTS = ['peer', 'microphone', 'playback', 'isLoudspeakerGone', 'video', 'theirs'] as const;

/**
 * A call at the page's voice engine: it shares microphone, sound and link code with the rooms, and has its own connection
 * (decision 051). The microphone's track for the call stays closed until `connect`.
 */
export function createCallMedia(deps: CallMediaDeps): CallMedia {
  const { callId, isCaller, engine, cameras, cameraId } = deps;
  const { signalling, platform, playback } = engine;
  const [self, other] = (isCaller ? ['caller', 'callee'] : ['callee', 'caller']) as [ParticipantId, ParticipantId];
  const listeners = createListeners();
  const release = engine.keepOpen();
  const voices = playback.openVoices();
  const microphone = copyMicrophone(engine.microphone);
  const video = createVideo({
    ...{ clock: platform.clock, access: cameras, isCameraOn: false, cameraId },
    tell: (shows) => signalling.send('call_signal', { callId, signal: { type: 'video', shows } }),
  });
  const mesh = createMesh({
    ...{ platform, signalling, microphone, voices, video: { ...video.port, takes: () => true }, ownLevel: () => 0 },
    news: null,
    isJoining: () => true,
    signals: callSignals(signalling, callId, other),
  });
  let isMicrophoneOn = true;
  let isConnecting = false;
  let isConnected = false;
  let isClosed = false;
  let cancelRetry: Stop = () => undefined;
  /** The kind of picture that the other user's client said it shows. */
  let shows: VideoShown = 'off';
  let theirs: Picture | null = null;
  let snapshot: CallMediaSnapshot | null = null;

  const seen = (): Picture | null => {
    const track = video.getSnapshot().pictures.get(other);
    if (track === undefined || shows === 'off') theirs = null;
    else if (theirs?.track !== track || theirs.shows !== shows) theirs = { track, shows };
    return theirs;
  };
  const read = (): CallMediaSnapshot => {
    const next: CallMediaSnapshot = {
      ...{ peer: mesh.peerState(other), microphone: engine.microphone.state(), playback: playback.state() },
      ...{ video: video.getSnapshot(), theirs: seen() },
      isLoudspeakerGone: platform.loudspeaker.getSnapshot().isGone,
    };
    const before = snapshot;
    const isSame = before !== null && PARTS.every((part) => before[part] === next[part]);
    if (!isSame) snapshot = next;
    return snapshot ?? next;
  };
  const refresh = () => {
    const before = snapshot;
    if (read() !== before) listeners.notify();
  };
  const apply = () => {
    const isSending = isConnected && isMicrophoneOn && !isClosed;
    microphone.setOpen(isSending);
    mesh.setSending(isSending ? 'all' : 'nobody');
  };

  const connect = async () => {
    const answer = await signalling.send('ice_config', {});
    if (isClosed) return;
    if (!answer.ok) {
      cancelRetry = platform.clock.after(RETRY_MS, () => void connect());
      return;
    }
    isConnected = true;
    mesh.reenter({ self, ice: answer.data });
    mesh.setAudible(new Set([other]));
    apply();
    mesh.setParticipants([{ id: other, person: other, isEarlier: !isCaller }]);
    video.entered('off');
    refresh();
  };

  const stops = [
    ...[mesh, engine.microphone, playback, video, platform.loudspeaker].map((source) => source.subscribe(refresh)),
    signalling.on('call_signal', (news) => {
      if (news.callId !== callId || news.signal.type !== 'video') return;
      shows = news.signal.shows;
      refresh();
    }),
  ];
  // A microphone that a room could not open may be allowed or plugged in by now.
  const { state } = engine.microphone.state();
  if (state === 'unavailable') void engine.microphone.start();

  return {
    getSnapshot: read,
    subscribe: listeners.add,
    connect() {
      if (isConnecting || isClosed) return;
      isConnecting = true;
      platform.sound.prepare();
      void connect();
    },
    setMicrophoneOn(isOn) {
      isMicrophoneOn = isOn;
      apply();
    },
    retryMicrophone: engine.microphone.start,
    setCamera: video.setCamera,
    shareScreen: video.shareScreen,
    stopSharing: video.stopSharing,
    tellAgain() {
      if (isConnected && !isClosed) video.entered('unknown');
    },
    unlockAudio: playback.unlock,
    close() {
      if (isClosed) return;
      isClosed = true;
      cancelRetry();
      for (const stop of stops) stop();
      apply();
      video.close();
      mesh.close();
      voices.close();
      microphone.close();
      release();
    },
  };
}
