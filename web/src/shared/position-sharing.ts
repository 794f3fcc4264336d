import type { SnapshotSource } from './use-snapshot.ts';

export type SharingFailure = 'denied' | 'unavailable' | 'unsupported' | 'refused';

export type SharingState =
  | { state: 'off' }
  | { state: 'searching' }
  /** `isPending`: the newest position has not reached the server yet. */
  | { state: 'on'; isPending: boolean }
  /** `unavailable` keeps trying; the others have ended the sharing. */
  | { state: 'failed'; reason: SharingFailure };

/** Sends this device's position, from `start` to `stop`. Off until the user starts it. */
export interface PositionSharing extends SnapshotSource<SharingState> {
  start(): void;
  stop(): void;
}
