import type { Stop } from './platform.ts';

export interface Notifier {
  subscribe(listener: () => void): Stop;
  notify(): void;
}

/** Tells listeners that something changed; they read what. One may leave, or close the engine, while it is told. */
export const createNotifier = (): Notifier => {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      // A wrapper each, so that the same function given twice is two subscriptions.
      const entry = () => listener();
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
    notify() {
      for (const listener of [...listeners]) {
        if (listeners.has(listener)) listener();
      }
    },
  };
};
