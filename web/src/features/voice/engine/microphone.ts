import { createListeners } from '#src/shared/listeners.ts';
import type { Platform, Stop } from './platform.ts';
import type { DeviceChoice, DeviceFailure, MicrophoneState } from './types.ts';

/**
 * If getUserMedia has not answered after this time, the room goes on without microphone; a late answer is still used.
 */
export const MICROPHONE_TIMEOUT_MS = 12_000;
/** Systems mute a track for a moment when devices change. Only a longer mute is reported [TALK121]. */
export const MUTE_GRACE_MS = 1_000;
/**
 * A reported mute that lasts this long opens the device anew: WebKit has tracks that stay muted for ever (bug 213853).
 */
export const REOPEN_AFTER_MS = 3_000;
/**
 * Maximum number of reopenings in one mute, unless the user asks by a button: each time the browser may ask for
 * permission.
 */
export const REOPENINGS_MAX = 3;
/** The previous device is stopped after this time, even if a link does not send the new one yet. */
const HAND_OVER_MAX_MS = 2_000;

/**
 * A page's microphone. It opens with the first room or call and stays open, but only `setOpen(true)` enables its track.
 */
export interface Microphone {
  state(): MicrophoneState;
  choices(): readonly DeviceChoice[];
  /** The track for senders; null while there is none. */
  track(): MediaStreamTrack | null;
  /**
   * Calls `handler` with each new track that senders have to send; null for none. The previous device goes on until all
   * promises are settled, so that a change during a talk leaves no gap.
   */
  onTrack(handler: (track: MediaStreamTrack | null) => Promise<unknown>): Stop;
  /** Enables or disables the track: immediate, local, cannot fail. Also applies to a track opened later. */
  setOpen(open: boolean): void;
  /** Requests the microphone (again). Never rejects: the outcome is in the state. */
  start(): Promise<void>;
  /** Call when the user wants to talk: opens a muted device anew, at most REOPENINGS_MAX times in one mute. */
  revive(): void;
  /** Changes the device. If it can't be opened, keeps the previous one. */
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
  let choices: readonly DeviceChoice[] = [];
  let track: MediaStreamTrack | null = null;
  /** Replaced tracks that some link still sends. */
  const leaving = new Set<MediaStreamTrack>();
  /** The chosen device, even while it is missing; undefined for the browser's default [TALK140]. */
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
    listeners.notify();
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

  /**
   * The track ended: the device was unplugged, or the system or the user revoked it. Tries the chosen device, then the
   * default one.
   */
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
      listeners.notify();
    });
  };

  const onUnmute = () => {
    cancelMute();
    becomeReady();
    listeners.notify();
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
      // A working microphone stays ready during the grace time of a mute; any other has to show that it works.
      if (state.state === 'ready') becomeReady();
      else if (!isMuted()) state = { state: 'starting' };
      onMute();
    }
    const isSent = send();
    listeners.notify();
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

  /** Returns to the chosen device when it is back: another one was opened because it was gone. */
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
      listeners.notify();
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
        listeners.notify();
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

/** A second track of the microphone, opened and closed separately [TALK142]. */
export type MicrophoneCopy = Pick<Microphone, 'track' | 'onTrack' | 'setOpen' | 'close'>;

/**
 * Copies the microphone for a call beside the rooms: the device is opened once, and no room hears the call. The copy
 * follows each change of device, and the previous device goes on until the call's link sends the new one.
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
 * Maps a rejected getUserMedia to a failure for the user. Names as in Media Capture and Streams §10.2. Browsers also
 * use older names: Chromium's TrackStartError, and Firefox's AbortError for a device that does not start.
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
