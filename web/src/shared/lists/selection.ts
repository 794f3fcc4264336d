import { useState } from 'react';

/** The selected rows by key, kept across pages. */
export interface Selection {
  readonly keys: ReadonlySet<string>;
  /** Selects or deselects rows. */
  set(keys: readonly string[], isPicked: boolean): void;
  /** Deselects all rows. */
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
