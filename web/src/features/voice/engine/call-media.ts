import type { CallId } from '@pressel/contract/calls';
import type { ParticipantId } from '@pressel/contract/ids';
import { callSignals } from './link-signals.ts';
import { createMesh } from './mesh.ts';
import { createMicrophone } from './microphone.ts';
import { createNotifier } from './notifier.ts';
import type { Platform, Stop } from './platform.ts';
import { createPlayback } from './playback.ts';
import type { MicrophoneState, PeerState, Signalling } from './types.ts';

/** Delay before ICE servers are asked for again. */
const RETRY_MS = 1_000;

/** Immutable; keeps its identity while nothing changes. */
export interface CallMediaSnapshot {
  peer: PeerState;
  microphone: MicrophoneState;
  playback: 'running' | 'blocked';
}

/** The voices of a one-to-one call: both at once, over one link of a mesh of two (RING7). */
export interface CallMedia {
  getSnapshot(): CallMediaSnapshot;
  subscribe(listener: () => void): Stop;
  /** The call was taken: connects. Before that nothing is sent, and nothing played. */
  connect(): void;
  /** Opens or closes the microphone: immediate and local. Open at first, from `connect` on. */
  setMicrophoneOn(isOn: boolean): void;
  retryMicrophone(): Promise<void>;
  /** Call it within a user gesture. */
  unlockAudio(): Promise<void>;
  /** Final and idempotent. */
  close(): void;
}

export interface CallMediaDeps {
  callId: CallId;
  /** The other one offers: they took the call, so both are there. */
  isCaller: boolean;
  signalling: Signalling;
  platform: Platform;
  /** Empty: the browser's default. */
  microphoneId: string;
}

/** Asks for the microphone at once, and keeps it closed until `connect`. */
export function createCallMedia(deps: CallMediaDeps): CallMedia {
  const { callId, isCaller, signalling, platform } = deps;
  const [self, other] = (isCaller ? ['caller', 'callee'] : ['callee', 'caller']) as [ParticipantId, ParticipantId];
  const notifier = createNotifier();
  const desk = platform.createDesk();
  const playback = createPlayback(platform, desk);
  const microphone = createMicrophone(platform);
  const mesh = createMesh({
    ...{ platform, signalling, microphone, playback, video: null, ownLevel: () => 0 },
    signals: callSignals(signalling, callId, other),
  });
  let isMicrophoneOn = true;
  let isConnecting = false;
  let isConnected = false;
  let isClosed = false;
  let cancelRetry: Stop = () => undefined;
  let snapshot: CallMediaSnapshot | null = null;

  const read = (): CallMediaSnapshot => {
    const next = { peer: mesh.peerState(other), microphone: microphone.state(), playback: playback.state() };
    const isSame =
      snapshot?.peer === next.peer && snapshot.microphone === next.microphone && snapshot.playback === next.playback;
    snapshot = isSame ? snapshot : next;
    return snapshot ?? next;
  };
  const refresh = () => {
    const before = snapshot;
    if (read() !== before) notifier.notify();
  };
  const apply = () => {
    const isSending = isConnected && isMicrophoneOn && !isClosed;
    microphone.setOpen(isSending);
    mesh.setSending(isSending);
  };

  const connect = async () => {
    const answer = await signalling.send('ice_config', {});
    if (isClosed) return;
    if (!answer.ok) {
      cancelRetry = platform.clock.after(RETRY_MS, () => void connect());
      return;
    }
    isConnected = true;
    mesh.join({ self, ice: answer.data });
    mesh.setAudible(new Set([other]));
    apply();
    mesh.setParticipants([other], !isCaller);
    refresh();
  };

  const stops = [mesh.subscribe(refresh), microphone.subscribe(refresh), playback.subscribe(refresh)];
  void (deps.microphoneId === '' ? microphone.start() : microphone.select(deps.microphoneId));

  return {
    getSnapshot: read,
    subscribe: notifier.subscribe,
    connect() {
      if (isConnecting || isClosed) return;
      isConnecting = true;
      void connect();
    },
    setMicrophoneOn(isOn) {
      isMicrophoneOn = isOn;
      apply();
    },
    retryMicrophone: microphone.start,
    unlockAudio: playback.unlock,
    close() {
      if (isClosed) return;
      isClosed = true;
      cancelRetry();
      for (const stop of stops) stop();
      apply();
      mesh.close();
      playback.close();
      microphone.close();
      desk.close();
    },
  };
}
