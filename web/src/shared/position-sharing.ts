import type { SnapshotSource } from './use-snapshot.ts';

export type SharingFailure = 'denied' | 'unavailable' | 'unsupported' | 'refused';

export type SharingState =
  | { state: 'off' }
  | { state: 'searching' }
  /** `isPending`: the newest position has not reached the server yet. */
  | { state: 'on'; isPending: boolean }
  /** `unavailable` is tried on, the others have ended the sharing. */
  | { state: 'failed'; reason: SharingFailure };

/** Sends where this device is, from `start` to `stop`. Off until somebody starts it. */
export interface PositionSharing extends SnapshotSource<SharingState> {
  start(): void;
  stop(): void;
}
