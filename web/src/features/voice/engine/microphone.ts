import { createListeners } from '#src/shared/listeners.ts';
import type { Platform, Stop } from './platform.ts';
import type { DeviceFailure, MicrophoneChoice, MicrophoneState } from './types.ts';

/** After this time without an answer to getUserMedia the room goes on without microphone; a late one is still used. */
export const MICROPHONE_TIMEOUT_MS = 12_000;
/** Systems mute a track for a moment when devices change. Only a longer mute is told [TALK121]. */
export const MUTE_GRACE_MS = 1_000;
/** A mute that lasts this long, after it was told, opens the device anew: WebKit has tracks that stay muted for ever (bug 213853). */
export const REOPEN_AFTER_MS = 3_000;
/** How often that is done in one mute unless somebody asks for it by a button: each time the browser may ask for permission. */
export const REOPENINGS_MAX = 3;
/** The device before is stopped by then, although a link may not send the new one yet. */
const HAND_OVER_MAX_MS = 2_000;

/** The microphone of a page: opened with its first room or call and kept open, but its track is enabled only by `setOpen(true)`. */
export interface Microphone {
  state(): MicrophoneState;
  choices(): readonly MicrophoneChoice[];
  /** The track for senders; null while there is none. */
  track(): MediaStreamTrack | null;
  /**
   * Calls with each other track that senders have to send from now on; null: none. The device before goes on until all promises
   * are settled, so that a change in the middle of a talk leaves no gap.
   */
  onTrack(handler: (track: MediaStreamTrack | null) => Promise<unknown>): Stop;
  /** Enables or disables the track: immediate, local, cannot fail. Also applies to a track opened later. */
  setOpen(open: boolean): void;
  /** Requests the microphone (again). Never rejects: the outcome is in the state. */
  start(): Promise<void>;
  /** Somebody wants to talk: opens a muted one anew, at most REOPENINGS_MAX times in one mute. */
  revive(): void;
  /** Changes the device. If it can't be opened, the previous one is kept. */
  select(deviceId: string): Promise<void>;
  /** Called on changes of state, devices and track. */
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createMicrophone = (platform: Pick<Platform, 'clock' | 'microphone'>): Microphone => {
  const { clock, microphone: access } = platform;
  const listeners = createListeners();
  const senders = new Set<(track: MediaStreamTrack | null) => Promise<unknown>>();
  let state: MicrophoneState = { state: 'starting' };
  let choices: readonly MicrophoneChoice[] = [];
  let track: MediaStreamTrack | null = null;
  /** Tracks that were replaced and are still being sent by some link. */
  const leaving = new Set<MediaStreamTrack>();
  /** The device that was chosen, also while it isn't there; undefined: the browser's default [TALK140]. */
  let wanted: string | undefined;
  let isOpen = false;
  let isClosed = false;
  let isPending = false;
  /** Number of the latest request; tracks of earlier ones are stopped. */
  let newest = 0;
  /** How often the device was opened anew in this mute. */
  let reopenings = 0;
  let cancelMute: Stop = () => undefined;

  const becomeUnavailable = (reason: DeviceFailure) => {
    stopTrack();
    state = { state: 'unavailable', reason };
    void send();
    listeners.tell();
  };

  const send = (): Promise<unknown> => Promise.allSettled([...senders].map((sender) => sender(track)));

  const unbind = (one: MediaStreamTrack) => {
    one.removeEventListener('ended', onEnded);
    one.removeEventListener('mute', onMute);
    one.removeEventListener('unmute', onUnmute);
    cancelMute();
  };

  const stopTrack = () => {
    for (const one of leaving) stop(one);
    if (track === null) return;
    unbind(track);
    stop(track);
    track = null;
  };

  const stop = (one: MediaStreamTrack) => {
    leaving.delete(one);
    one.enabled = false;
    one.stop();
  };

  /** The track ended: unplugged, or revoked by the system or the user. Tries the chosen device, then the default one. */
  const onEnded = () => {
    // Some systems end the current track while another one is being opened; `request` handles that at its end.
    if (isPending) return;
    becomeUnavailable('unplugged');
    void request(wanted, 'unplugged');
  };

  const isMuted = () => state.state === 'unavailable' && state.reason === 'muted';

  const onMute = () => {
    cancelMute();
    cancelMute = clock.after(MUTE_GRACE_MS, () => {
      state = { state: 'unavailable', reason: 'muted' };
      cancelMute = clock.after(REOPEN_AFTER_MS, revive);
      listeners.tell();
    });
  };

  const onUnmute = () => {
    cancelMute();
    becomeReady();
    listeners.tell();
  };

  const becomeReady = () => {
    reopenings = 0;
    state = { state: 'ready', deviceId: deviceInUse() ?? '', label: track?.label ?? '' };
  };

  const deviceInUse = () => track?.getSettings().deviceId;

  const revive = () => {
    if (!isMuted() || isPending || isClosed || reopenings >= REOPENINGS_MAX || !access.isShown()) return;
    reopenings += 1;
    void request(deviceInUse());
  };

  const adoptTrack = (fresh: MediaStreamTrack) => {
    fresh.enabled = isOpen;
    const previous = track;
    if (previous !== null) unbind(previous);
    track = fresh;
    fresh.addEventListener('ended', onEnded);
    fresh.addEventListener('mute', onMute);
    fresh.addEventListener('unmute', onUnmute);
    if (!fresh.muted) becomeReady();
    else {
      // One that works is believed for as long as a track that becomes muted is; any other has to show that it works.
      if (state.state === 'ready') becomeReady();
      else if (!isMuted()) state = { state: 'starting' };
      onMute();
    }
    const isSent = send();
    listeners.tell();
    if (previous !== null) letGo(previous, isSent);
    void refreshChoices();
  };

  const letGo = (previous: MediaStreamTrack, isSent: Promise<unknown>) => {
    leaving.add(previous);
    const end = () => {
      cancel();
      stop(previous);
    };
    const cancel = clock.after(HAND_OVER_MAX_MS, end);
    void isSent.then(end);
  };

  const failUnlessLive = (reason: DeviceFailure) => {
    if (track !== null && track.readyState === 'live') return;
    becomeUnavailable(reason);
  };

  /** `fallback`: the failure to report if no other device can be opened either. */
  const request = async (deviceId: string | undefined, fallback?: DeviceFailure) => {
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
      const reason = toDeviceFailure(error, access.isSecure);
      const hasNone = track === null || track.readyState !== 'live';
      if (hasNone && deviceId !== undefined && reason !== 'refused') {
        // Neither the chosen nor the previous device is available: try any other.
        if (track !== null) becomeUnavailable(reason);
        void request(undefined, fallback ?? reason);
        return;
      }
      failUnlessLive(reason === 'missing' && fallback !== undefined ? fallback : reason);
    } finally {
      cancel();
    }
  };

  /** Another device was opened because the chosen one was gone. */
  const goBack = () => {
    const isBack = choices.some(({ deviceId }) => deviceId === wanted);
    const inUse = deviceInUse();
    if (isBack && inUse !== undefined && inUse !== wanted && !isPending) void request(wanted);
  };

  const refreshChoices = async () => {
    try {
      const found = await access.list();
      if (isClosed) return;
      choices = found.map(({ deviceId, label }) => ({ deviceId, label }));
      listeners.tell();
      goBack();
    } catch {
      // The open microphone works without the list of devices.
    }
  };

  const stops: Stop[] = [
    access.onDevicesChanged(() => {
      void refreshChoices();
      const mayHaveCome = state.state === 'unavailable' && (state.reason === 'missing' || state.reason === 'unplugged');
      if (mayHaveCome && !isPending) void request(wanted, 'unplugged');
    }),
    access.onPermissionChanged((permission) => {
      if (permission === 'granted' && state.state === 'unavailable' && !isPending)
        void request(wanted ?? deviceInUse());
      if (permission === 'denied') {
        newest += 1;
        isPending = false;
        becomeUnavailable('refused');
      }
    }),
    access.onShown(revive),
  ];

  return {
    state: () => state,
    choices: () => choices,
    track: () => track,
    onTrack(handler) {
      senders.add(handler);
      return () => senders.delete(handler);
    },
    setOpen(open) {
      isOpen = open && !isClosed;
      if (track !== null) track.enabled = isOpen;
      for (const one of leaving) one.enabled = isOpen;
    },
    async start() {
      if (isClosed) return;
      if (track === null) {
        state = { state: 'starting' };
        listeners.tell();
      }
      await request(wanted ?? deviceInUse());
    },
    revive,
    async select(deviceId) {
      if (isClosed) return;
      const before = { wanted, isKept: track?.readyState === 'live' };
      wanted = deviceId;
      await request(deviceId);
      const isRefused = deviceInUse() !== deviceId && before.isKept && wanted === deviceId;
      if (isRefused) wanted = before.wanted;
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

/** A second track of the microphone, opened and closed for itself [TALK142]. */
export type MicrophoneCopy = Pick<Microphone, 'track' | 'onTrack' | 'setOpen' | 'close'>;

/**
 * For a call beside the rooms: the device is opened once, and what is said in the call reaches no room. It follows each change of the
 * device, and the device before goes on until the call's link sends the new one.
 */
export const copyMicrophone = (microphone: Pick<Microphone, 'track' | 'onTrack'>): MicrophoneCopy => {
  const senders = new Set<Parameters<Microphone['onTrack']>[0]>();
  let isOpen = false;
  let copy: MediaStreamTrack | null = null;

  const enable = () => {
    if (copy !== null) copy.enabled = isOpen;
  };
  const take = (track: MediaStreamTrack | null) => {
    copy = track?.clone() ?? null;
    enable();
  };
  const end = (previous: MediaStreamTrack | null) => {
    if (previous === null) return;
    previous.enabled = false;
    previous.stop();
  };
  const stop = microphone.onTrack(async (track) => {
    const previous = copy;
    take(track);
    await Promise.allSettled([...senders].map((sender) => sender(copy)));
    end(previous);
  });
  take(microphone.track());

  return {
    track: () => copy,
    onTrack(handler) {
      senders.add(handler);
      return () => senders.delete(handler);
    },
    setOpen(open) {
      isOpen = open;
      enable();
    },
    close() {
      stop();
      end(copy);
      copy = null;
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

/**
 * Maps a rejected getUserMedia to a failure for the user. Names as in Media Capture and Streams §10.2; browsers also
 * use older ones (Chromium's TrackStartError, Firefox's AbortError for a device that does not start).
 */
export const toDeviceFailure = (error: unknown, isSecure: boolean): DeviceFailure => {
  if (!isSecure) return 'insecure';
  switch (nameOfError(error)) {
    case 'NotAllowedError':
    case 'PermissionDeniedError':
    case 'SecurityError':
      return 'refused';
    case 'NotFoundError':
    case 'DevicesNotFoundError':
    case 'OverconstrainedError':
      return 'missing';
    default:
      return 'busy';
  }
};

/** Reads `name` without instanceof, because DOMException does not extend Error in every browser. */
export const nameOfError = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
