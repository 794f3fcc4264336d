import type { ErrorCode } from '@pressel/contract/errors';
import type { ParticipantId } from '@pressel/contract/ids';
import type { VideoShown } from '@pressel/contract/presence';
import { createListeners } from '#src/shared/listeners.ts';
import { type CameraState, createCamera } from './camera.ts';
import { nameOfError } from './microphone.ts';
import type { CameraAccess, Clock, Stop } from './platform.ts';
import type { DeviceChoice } from './types.ts';

/** The picture that self shows. */
export interface Picture {
  track: MediaStreamTrack;
  shows: 'camera' | 'screen';
}

/** The pictures of a room. Immutable; keeps its identity while nothing changes. */
export interface VideoSnapshot {
  camera: CameraState;
  cameras: readonly DeviceChoice[];
  /**
   * `unsupported`: the browser can't share a screen, as on phones. `failed`: the last attempt failed, and not because
   * the user refused.
   */
  screen: 'unsupported' | 'off' | 'asking' | 'on' | 'failed';
  own: Picture | null;
  /** The tracks from the links. The participant's `video` tells whether its track has a picture. */
  pictures: ReadonlyMap<ParticipantId, MediaStreamTrack>;
}

/** The pictures of one room in the video view. */
export interface RoomVideo {
  getSnapshot(): VideoSnapshot;
  subscribe(listener: () => void): () => void;
  /** Turns the camera on or off. Turning it on again retries one that is unavailable. */
  setCamera(isOn: boolean): void;
  selectCamera(deviceId: string): void;
  /** Shows a screen instead of the camera, which is stopped meanwhile. Needs a user gesture. Never rejects. */
  shareScreen(): Promise<void>;
  /** Stops sharing; the camera comes back if it was on before. */
  stopSharing(): void;
}

/** The room's pictures, as the links need them. */
export interface VideoPort {
  /** Whether this participant sends and receives pictures [VID1]. */
  takes(id: ParticipantId): boolean;
  own(): Picture | null;
  /** Called when `own` may have changed. */
  subscribe(listener: () => void): () => void;
  /** Sets the track that will carry a participant's pictures. */
  attach(id: ParticipantId, track: MediaStreamTrack): void;
  detach(id: ParticipantId): void;
}

/** Delay before repeating an event that the server could not take. */
export const TELL_AGAIN_MS = 1_000;
/** Temporary refusals. Others would come again. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['unavailable', 'too_many', 'internal']);

export interface VideoDeps {
  clock: Clock;
  /** Tells the others what self shows. */
  tell(shown: VideoShown): Promise<{ ok: true } | { ok: false; code: ErrorCode }>;
  access: CameraAccess;
  isCameraOn: boolean;
  /** '' for the browser's default. */
  cameraId: string;
}

/** A room's video, with the parts that only the room needs. */
export interface Video extends RoomVideo {
  readonly port: Omit<VideoPort, 'takes'>;
  /** The kind of picture that self shows now. */
  shown(): VideoShown;
  /**
   * Call when the room was entered and its others were told that self shows this. From now on changes are sent [VID5].
   * `unknown`: nobody knows what the others heard, so they are told in any case.
   */
  entered(told: VideoShown | 'unknown'): void;
  /** Call when the link is lost or the room left: nothing is sent. */
  left(): void;
  close(): void;
}

/** The own camera or screen, and the pictures of the others. Rules: docs/rules/video.md. */
export const createVideo = ({ clock, tell: tellOthers, access, isCameraOn, cameraId }: VideoDeps): Video => {
  const listeners = createListeners();
  const camera = createCamera({ clock, access }, cameraId);
  let isCameraWanted = isCameraOn;
  let screen: VideoSnapshot['screen'] = access.openScreen === null ? 'unsupported' : 'off';
  let screenTrack: MediaStreamTrack | null = null;
  let own: Picture | null = null;
  let pictures: ReadonlyMap<ParticipantId, MediaStreamTrack> = new Map();
  let snapshot: VideoSnapshot | null = null;
  let isClosed = false;
  /** The state that the others were last told; null while self is in no room. */
  let told: VideoShown | 'unknown' | null = null;
  /** Number of the entry into the room, so that an answer to an earlier one is ignored. */
  let stay = 0;
  let isTelling = false;
  let cancelTell: Stop = () => undefined;

  const shown = (): VideoShown => own?.shows ?? 'off';

  const tell = async () => {
    if (told === null || isTelling || told === shown()) return;
    isTelling = true;
    const mine = stay;
    const target = shown();
    const answer = await tellOthers(target);
    if (mine !== stay) return;
    isTelling = false;
    if (answer.ok) {
      told = target;
      void tell();
    } else if (PASSING.has(answer.code)) {
      cancelTell();
      cancelTell = clock.after(TELL_AGAIN_MS, () => void tell());
    }
  };

  const refresh = () => {
    const track = screenTrack ?? camera.track();
    const shows = screenTrack === null ? 'camera' : 'screen';
    if (track === null) own = null;
    else if (own?.track !== track) own = { track, shows };
    snapshot = null;
    listeners.notify();
    void tell();
  };

  const stopSharing = () => {
    if (screenTrack === null) return;
    screenTrack.removeEventListener('ended', stopSharing);
    screenTrack.stop();
    screenTrack = null;
    screen = 'off';
    refresh();
    if (!isClosed) camera.setOn(isCameraWanted);
  };

  const adoptScreen = (track: MediaStreamTrack) => {
    screenTrack = track;
    // The user stopped sharing by the browser's own bar.
    track.addEventListener('ended', stopSharing);
    screen = 'on';
    refresh();
    // Stopped after the screen is shown, so that the others see no gap.
    camera.setOn(false);
  };

  const stopCamera = camera.subscribe(refresh);
  camera.setOn(isCameraWanted);

  return {
    getSnapshot() {
      snapshot ??= { camera: camera.state(), cameras: camera.choices(), screen, own, pictures };
      return snapshot;
    },
    subscribe: listeners.add,
    setCamera(isOn) {
      isCameraWanted = isOn;
      if (screenTrack === null && !isClosed) camera.setOn(isOn);
    },
    selectCamera: camera.select,
    async shareScreen() {
      if (access.openScreen === null || isClosed || screen === 'asking' || screen === 'on') return;
      screen = 'asking';
      refresh();
      try {
        const track = await access.openScreen();
        if (isClosed) track.stop();
        else adoptScreen(track);
      } catch (error) {
        // A user who closes the browser's prompt changed their mind.
        screen = nameOfError(error) === 'NotAllowedError' ? 'off' : 'failed';
        refresh();
      }
    },
    stopSharing,
    port: {
      own: () => own,
      subscribe: listeners.add,
      attach(id, track) {
        pictures = new Map([...pictures, [id, track]]);
        refresh();
      },
      detach(id) {
        if (!pictures.has(id)) return;
        pictures = new Map([...pictures].filter(([one]) => one !== id));
        refresh();
      },
    },
    shown,
    entered(toldAtJoin) {
      stay += 1;
      isTelling = false;
      told = toldAtJoin;
      void tell();
    },
    left() {
      stay += 1;
      told = null;
      cancelTell();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      stay += 1;
      told = null;
      cancelTell();
      stopCamera();
      stopSharing();
      camera.close();
      pictures = new Map();
      own = null;
      snapshot = null;
    },
  };
};
