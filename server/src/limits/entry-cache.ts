/** Entries by key, made when first asked for. Above a certain number, entries that nobody asked for lately are forgotten. */
export interface EntryCache<Entry> {
  of(key: string): Entry;
  /** Returns the entry if it is kept. */
  find(key: string): Entry | undefined;
  forget(key: string): void;
}

/** Below this number, nothing is forgotten. */
const KEPT_MIN = 1_000;

/** `now`: a monotonic clock, ms. `mayForget`: whether an entry can be dropped after `idleMs` without use. */
export function createEntryCache<Entry>(
  make: (key: string) => Entry,
  { idleMs, now, mayForget = () => true }: { idleMs: number; now: () => number; mayForget?: (entry: Entry) => boolean },
): EntryCache<Entry> {
  const kept = new Map<string, { entry: Entry; askedAt: number }>();
  let tidiedAt = now();
  const tidy = () => {
    if (kept.size < KEPT_MIN || now() - tidiedAt < idleMs) return;
    tidiedAt = now();
    for (const [key, { entry, askedAt }] of kept) {
      if (now() - askedAt >= idleMs && mayForget(entry)) kept.delete(key);
    }
  };
  const find = (key: string): Entry | undefined => {
    const known = kept.get(key);
    if (known !== undefined) known.askedAt = now();
    return known?.entry;
  };
  return {
    find,
    of(key) {
      const known = find(key);
      if (known !== undefined) return known;
      tidy();
      const entry = make(key);
      kept.set(key, { entry, askedAt: now() });
      return entry;
    },
    forget: (key) => void kept.delete(key),
  };
}
