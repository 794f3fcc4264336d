import type { ParticipantId } from '@pressel/contract/ids';
import type { DeviceFailure } from './types.ts';

export interface DeviceChoice {
  deviceId: string;
  label: string;
}

/** Why a camera can't be used: as for microphones. */
export type CameraState =
  | { state: 'off' }
  | { state: 'starting' }
  | { state: 'on'; deviceId: string; label: string }
  | { state: 'unavailable'; reason: DeviceFailure };

/** What self shows. */
export interface Picture {
  track: MediaStreamTrack;
  shows: 'camera' | 'screen';
}

/** The pictures of a room. Immutable; keeps its identity while nothing changes. */
export interface VideoSnapshot {
  camera: CameraState;
  cameras: readonly DeviceChoice[];
  /** `unsupported`: the browser can share no screen, as on phones. `failed`: the last attempt, not by the user's doing. */
  screen: 'unsupported' | 'off' | 'asking' | 'on' | 'failed';
  own: Picture | null;
  /** The tracks that links bring. Whether there is a picture on one is told by the participant's `video`. */
  pictures: ReadonlyMap<ParticipantId, MediaStreamTrack>;
}

/** The pictures of one visit to the video view. */
export interface RoomVideo {
  getSnapshot(): VideoSnapshot;
  subscribe(listener: () => void): () => void;
  /** Turning it on again retries one that is unavailable. */
  setCamera(isOn: boolean): void;
  selectCamera(deviceId: string): void;
  /** Shows a screen instead of the camera, which is stopped meanwhile. Call it from a user's gesture. Never rejects. */
  shareScreen(): Promise<void>;
  /** The camera comes back if it was on before. */
  stopSharing(): void;
}

/** The pictures as the links need them. */
export interface VideoPort {
  /** Whether this participant sends and takes pictures [VID1]. */
  takes(id: ParticipantId): boolean;
  own(): Picture | null;
  /** Called when `own` may have changed. */
  subscribe(listener: () => void): () => void;
  /** The track by which a participant's pictures will come. */
  attach(id: ParticipantId, track: MediaStreamTrack): void;
  detach(id: ParticipantId): void;
}
