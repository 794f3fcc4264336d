import { createListeners } from '#src/shared/listeners.ts';
import { type MicrophoneFailure, toMicrophoneFailure } from './media-failure.ts';
import type { Platform, Stop } from './platform.ts';
import type { MicrophoneChoice, MicrophoneState } from './types.ts';

/** After this time without an answer to getUserMedia the room goes on without microphone; a late one is still used. */
export const MICROPHONE_TIMEOUT_MS = 12_000;

/** The microphone of a room: opened on entering and kept open, but its track is enabled only by `setOpen(true)`. */
export interface Microphone {
  state(): MicrophoneState;
  choices(): readonly MicrophoneChoice[];
  /** The track for senders; null while there is none. */
  track(): MediaStreamTrack | null;
  /** Enables or disables the track: immediate, local, cannot fail. Also applies to a track opened later. */
  setOpen(open: boolean): void;
  /** Requests the microphone (again). Never rejects: the outcome is in the state. */
  start(): Promise<void>;
  /** Changes the device. If it can't be opened, the previous one is kept. */
  select(deviceId: string): Promise<void>;
  /** Called on changes of state, devices and track. */
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createMicrophone = (platform: Pick<Platform, 'clock' | 'microphone'>): Microphone => {
  const { clock, microphone: access } = platform;
  const listeners = createListeners();
  let state: MicrophoneState = { state: 'starting' };
  let choices: readonly MicrophoneChoice[] = [];
  let track: MediaStreamTrack | null = null;
  let isOpen = false;
  let isClosed = false;
  let isPending = false;
  /** Number of the latest request; tracks of earlier ones are stopped. */
  let newest = 0;

  const becomeUnavailable = (reason: MicrophoneFailure) => {
    stopTrack();
    state = { state: 'unavailable', reason };
    listeners.tell();
  };

  const stopTrack = () => {
    if (track === null) return;
    track.removeEventListener('ended', onEnded);
    track.enabled = false;
    track.stop();
    track = null;
  };

  /** The track ended: unplugged, or revoked by the system or the user. Tries the default device. */
  const onEnded = () => {
    // Some systems end the current track while another one is being opened; `request` handles that at its end.
    if (isPending) return;
    becomeUnavailable('unplugged');
    void request(undefined, 'unplugged');
  };

  const adoptTrack = (fresh: MediaStreamTrack) => {
    fresh.enabled = isOpen;
    const previous = track;
    track = fresh;
    fresh.addEventListener('ended', onEnded);
    state = { state: 'ready', deviceId: fresh.getSettings().deviceId ?? '', label: fresh.label };
    listeners.tell();
    if (previous !== null) {
      previous.removeEventListener('ended', onEnded);
      previous.enabled = false;
      previous.stop();
    }
    void refreshChoices();
  };

  const failUnlessLive = (reason: MicrophoneFailure) => {
    if (track !== null && track.readyState === 'live') return;
    becomeUnavailable(reason);
  };

  /** `fallback`: the failure to report if no other device can be opened either. */
  const request = async (deviceId: string | undefined, fallback?: MicrophoneFailure) => {
    newest += 1;
    const mine = newest;
    if (!access.isSecure) {
      becomeUnavailable('insecure');
      return;
    }
    isPending = true;
    const cancel = clock.after(MICROPHONE_TIMEOUT_MS, () => {
      if (mine !== newest || isClosed) return;
      isPending = false;
      // Most likely an unanswered permission prompt.
      failUnlessLive(fallback ?? 'refused');
    });
    try {
      const fresh = await access.open(constraintsFor(deviceId));
      if (mine !== newest || isClosed) {
        fresh.stop();
        return;
      }
      isPending = false;
      adoptTrack(fresh);
    } catch (error) {
      if (mine !== newest || isClosed) return;
      isPending = false;
      const reason = toMicrophoneFailure(error, access.isSecure);
      const hasNone = track === null || track.readyState !== 'live';
      if (hasNone && deviceId !== undefined && reason !== 'refused') {
        // Neither the chosen nor the previous device is available: try any other.
        if (track !== null) becomeUnavailable(reason);
        void request(undefined, reason);
        return;
      }
      failUnlessLive(reason === 'missing' && fallback !== undefined ? fallback : reason);
    } finally {
      cancel();
    }
  };

  const refreshChoices = async () => {
    try {
      const found = await access.list();
      if (isClosed) return;
      choices = found.map(({ deviceId, label }) => ({ deviceId, label }));
      listeners.tell();
    } catch {
      // The open microphone works without the list of devices.
    }
  };

  const stops: Stop[] = [
    access.onDevicesChanged(() => {
      void refreshChoices();
      const mayHaveCome = state.state === 'unavailable' && (state.reason === 'missing' || state.reason === 'unplugged');
      if (mayHaveCome && !isPending) void request(undefined, 'unplugged');
    }),
    access.onPermissionChanged((permission) => {
      if (permission === 'granted' && state.state === 'unavailable' && !isPending) void request(undefined);
      if (permission === 'denied') {
        newest += 1;
        isPending = false;
        becomeUnavailable('refused');
      }
    }),
  ];

  return {
    state: () => state,
    choices: () => choices,
    track: () => track,
    setOpen(open) {
      isOpen = open && !isClosed;
      if (track !== null) track.enabled = isOpen;
    },
    async start() {
      if (isClosed) return;
      if (track === null) {
        state = { state: 'starting' };
        listeners.tell();
      }
      await request(undefined);
    },
    async select(deviceId) {
      if (!isClosed) await request(deviceId);
    },
    subscribe: listeners.add,
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const stop of stops) stop();
      stopTrack();
    },
  };
};

const constraintsFor = (deviceId: string | undefined): MediaTrackConstraints => ({
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
  ...(deviceId === undefined ? {} : { deviceId: { exact: deviceId } }),
});
