import { useSyncExternalStore } from 'react';

/** A state outside React. The snapshot keeps its identity while nothing changes. */
export interface SnapshotSource<T> {
  getSnapshot(): T;
  subscribe(listener: () => void): () => void;
}

/** Subscribes a component to a snapshot: rerenders at each change. */
export const useSnapshot = <T>(source: SnapshotSource<T>): T =>
  useSyncExternalStore(
    (listener) => source.subscribe(listener),
    () => source.getSnapshot(),
  );
