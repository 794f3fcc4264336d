import { useState } from 'react';

/** Which rows are ticked, by key; they stay so while other pages are shown. */
export interface Selection {
  readonly keys: ReadonlySet<string>;
  /** Ticks or unticks some rows. */
  set(keys: readonly string[], isPicked: boolean): void;
  /** Unticks all. */
  clear(): void;
}

export function useSelection(): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    keys,
    set: (changed, isPicked) =>
      setKeys((known) => {
        const next = new Set(known);
        for (const key of changed) {
          if (isPicked) next.add(key);
          else next.delete(key);
        }
        return next;
      }),
    clear: () => setKeys(new Set()),
  };
}
