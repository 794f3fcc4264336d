import type { Stop } from './platform.ts';

export interface Notifier {
  subscribe(listener: () => void): Stop;
  notify(): void;
}

/** Notifies listeners of a change without details. A listener may unsubscribe or close the engine meanwhile. */
export const createNotifier = (): Notifier => {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      // Wrapped, so that the same function added twice is two subscriptions.
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
