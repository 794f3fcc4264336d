/** Who wants to hear of something. */
export interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
}

/** A set of listeners. Each is told once per `tell`, also when one of them leaves meanwhile. */
export function createListeners<T = void>(): Listeners<T> {
  const all = new Set<(value: T) => void>();
  return {
    add(listener) {
      // Wrapped, so that one function added twice is heard twice and leaves once.
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
