import { createListeners } from '#src/shared/listeners.ts';
import { browserDevices } from './browser-deps.ts';
import { MICROPHONE_TIMEOUT_MS, toDeviceFailure } from './microphone.ts';
import type { CameraAccess, Clock, Stop } from './platform.ts';
import type { DeviceChoice, DeviceFailure } from './types.ts';

/** The camera's state; the reasons are those of microphones. */
export type CameraState =
  | { state: 'off' }
  | { state: 'starting' }
  | { state: 'on'; deviceId: string; label: string }
  | { state: 'unavailable'; reason: DeviceFailure };

/** A room's camera. When it is off, its device is stopped: its light is out [VID6]. */
export interface Camera {
  state(): CameraState;
  choices(): readonly DeviceChoice[];
  /** Null while it is off, starting or unavailable. */
  track(): MediaStreamTrack | null;
  /** Opens or stops it; opening again retries. Never throws: the outcome is in the state. */
  setOn(isOn: boolean): void;
  /** Sets the device from now on. If the camera is on, changes it; if that fails, keeps the previous one. */
  select(deviceId: string): void;
  subscribe(listener: () => void): Stop;
  close(): void;
}

/** `deviceId`: the device chosen before, '' for the browser's default. */
export const createCamera = (deps: { clock: Clock; access: CameraAccess }, deviceId: string): Camera => {
  const { clock, access } = deps;
  const listeners = createListeners();
  let state: CameraState = { state: 'off' };
  let choices: readonly DeviceChoice[] = [];
  let track: MediaStreamTrack | null = null;
  let wanted = deviceId;
  let isOn = false;
  let isPending = false;
  /** Number of the latest request; tracks of earlier ones are stopped at once. */
  let newest = 0;

  const tell = (next: CameraState) => {
    state = next;
    listeners.notify();
  };

  const stopTrack = () => {
    track?.removeEventListener('ended', onEnded);
    track?.stop();
    track = null;
  };

  /** The camera was unplugged, or the system took it away. Tries the chosen device, then any other. */
  const onEnded = () => {
    if (isPending) return;
    stopTrack();
    tell({ state: 'unavailable', reason: 'unplugged' });
    void request(wanted, 'unplugged');
  };

  const adopt = (fresh: MediaStreamTrack) => {
    stopTrack();
    track = fresh;
    fresh.addEventListener('ended', onEnded);
    tell({ state: 'on', deviceId: fresh.getSettings().deviceId ?? '', label: fresh.label });
    void refreshChoices();
  };

  const fail = (reason: DeviceFailure) => {
    if (track?.readyState === 'live') return;
    stopTrack();
    tell({ state: 'unavailable', reason });
  };

  /** `because`: the failure to report if there is no other device either. */
  const request = async (id: string, because?: DeviceFailure): Promise<void> => {
    newest += 1;
    const mine = newest;
    if (!access.isSecure) {
      fail('insecure');
      return;
    }
    isPending = true;
    if (track === null && because === undefined) tell({ state: 'starting' });
    // Most likely an unanswered permission prompt. A late answer is still used.
    const cancel = clock.after(MICROPHONE_TIMEOUT_MS, () => mine === newest && fail(because ?? 'refused'));
    try {
      const fresh = await access.open(constraintsFor(id));
      if (mine === newest) adopt(fresh);
      else fresh.stop();
    } catch (error) {
      if (mine !== newest) return;
      const reason = toDeviceFailure(error, access.isSecure);
      // Neither the chosen nor the previous device is there: tries any other.
      if (track?.readyState !== 'live' && id !== '' && reason !== 'refused') void request('', because ?? reason);
      else fail(reason === 'missing' && because !== undefined ? because : reason);
    } finally {
      cancel();
      if (mine === newest) isPending = false;
    }
  };

  const refreshChoices = async () => {
    try {
      const found = await access.list();
      choices = found.map(({ deviceId: id, label }) => ({ deviceId: id, label }));
      listeners.notify();
      // Another one was opened because the chosen one was gone.
      const isBack = choices.some(({ deviceId: id }) => id === wanted);
      const inUse = track?.getSettings().deviceId;
      if (isBack && inUse !== undefined && inUse !== wanted && !isPending) void request(wanted);
    } catch {
      // The open camera works without the list of devices.
    }
  };

  const stops: Stop[] = [
    access.onDevicesChanged(() => {
      void refreshChoices();
      const mayHaveCome = state.state === 'unavailable' && (state.reason === 'missing' || state.reason === 'unplugged');
      if (isOn && mayHaveCome && !isPending) void request(wanted, 'unplugged');
    }),
    access.onPermissionChanged((permission) => {
      if (!isOn) return;
      if (permission === 'granted' && state.state === 'unavailable' && !isPending) void request(wanted);
      if (permission === 'denied') {
        newest += 1;
        isPending = false;
        stopTrack();
        tell({ state: 'unavailable', reason: 'refused' });
      }
    }),
  ];

  const setOn = (next: boolean) => {
    isOn = next;
    if (next) {
      if (track?.readyState !== 'live' && !isPending) void request(wanted);
      return;
    }
    newest += 1;
    isPending = false;
    stopTrack();
    if (state.state !== 'off') tell({ state: 'off' });
  };

  return {
    state: () => state,
    choices: () => choices,
    track: () => track,
    setOn,
    select(id) {
      wanted = id;
      if (isOn) void request(id);
    },
    subscribe: listeners.add,
    close() {
      for (const stop of stops) stop();
      setOn(false);
    },
  };
};

/** Spec §9: ideal 240x240. Each picture is encoded once per link, so few frames are enough. */
const constraintsFor = (deviceId: string): MediaTrackConstraints => ({
  width: { ideal: 240 },
  height: { ideal: 240 },
  frameRate: { ideal: 15, max: 30 },
  ...(deviceId === '' ? {} : { deviceId: { exact: deviceId } }),
});

/** The cameras and screens of a real browser, for the video view. Asks for nothing by itself. */
export const browserCameras = (): CameraAccess => {
  // Undefined where screens can't be shared, although its type does not say so.
  const devices: Partial<MediaDevices> | undefined = navigator.mediaDevices;
  const canShare = devices?.getDisplayMedia !== undefined;
  return { ...browserDevices('video'), openScreen: canShare ? openScreen : null };
};

const openScreen = async (): Promise<MediaStreamTrack> => {
  // A screen's sound would bypass the floor.
  const wanted = { video: { frameRate: { ideal: 5, max: 10 }, width: { max: 1920 } }, audio: false };
  const [track] = (await navigator.mediaDevices.getDisplayMedia(wanted)).getVideoTracks();
  if (track === undefined) throw new DOMException('no video track', 'NotFoundError');
  // Prefers legible text to smooth movement.
  track.contentHint = 'detail';
  return track;
};
