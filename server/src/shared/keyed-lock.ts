/** Runs tasks with the same key one after the other. */
export interface KeyedLock<Key> {
  run<T>(key: Key, task: () => Promise<T>): Promise<T>;
}

/** In memory, for one process. */
export function createKeyedLock<Key = string>(): KeyedLock<Key> {
  const tails = new Map<Key, Promise<unknown>>();
  return {
    async run(key, task) {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(task, task);
      tails.set(key, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === mine) tails.delete(key);
      }
    },
  };
}

/** Work whose outcome is shared by all who ask while it is under way: however many ask at once, it is done once. */
export function shareUnderWay<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
