/** A list of subscribers. */
export interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
}

/** Creates a list of listeners. `tell` calls each once, even if one of them unsubscribes meanwhile. */
export function createListeners<T = void>(): Listeners<T> {
  const all = new Set<(value: T) => void>();
  return {
    add(listener) {
      // Wrapped, so that a function added twice is two subscriptions, each removed separately.
      const entry = (value: T) => listener(value);
      all.add(entry);
      return () => {
        all.delete(entry);
      };
    },
    tell(value) {
      for (const listener of [...all]) listener(value);
    },
  };
}
