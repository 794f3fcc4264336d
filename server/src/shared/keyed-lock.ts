/** Runs tasks with the same key one after the other. */
export interface KeyedLock<Key> {
  run<T>(key: Key, task: () => Promise<T>): Promise<T>;
}

/** Works in memory, for one process. */
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

/** All callers share the work under way and its outcome: however many ask at once, it runs once. */
export function shareUnderWay<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
