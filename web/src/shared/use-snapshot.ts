import { useSyncExternalStore } from 'react';

/** Something outside React with a state to show. The snapshot keeps its identity while nothing changes. */
export interface SnapshotSource<T> {
  getSnapshot(): T;
  subscribe(listener: () => void): () => void;
}

/** The whole bridge between an engine and React: renders again at each change of the snapshot. */
export const useSnapshot = <T>(source: SnapshotSource<T>): T =>
  useSyncExternalStore(
    (listener) => source.subscribe(listener),
    () => source.getSnapshot(),
  );
