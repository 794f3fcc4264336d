/** A list of subscribers. */
export interface Listeners<T> {
  /** `order`: 'first' is called before all others, whenever they came. Returns the function that removes the listener. */
  add(listener: (value: T) => void, order?: 'first'): () => void;
  notify(value: T): void;
}

/**
 * Creates a list of listeners. `notify` calls each once, except those that another one removed meanwhile. A listener that
 * throws is reported as an uncaught error, and the others are still called.
 */
export function createListeners<T = void>(): Listeners<T> {
  const early = new Set<(value: T) => void>();
  const others = new Set<(value: T) => void>();
  return {
    add(listener, order) {
      const all = order === 'first' ? early : others;
      // Wrapped, so that a function added twice is two subscriptions, each removed separately.
      const entry = (value: T) => listener(value);
      all.add(entry);
      return () => {
        all.delete(entry);
      };
    },
    notify(value) {
      for (const listener of [...early, ...others]) {
        if (!early.has(listener) && !others.has(listener)) continue;
        try {
          listener(value);
        } catch (error) {
          reportError(error);
        }
      }
    },
  };
}
