import type { QueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';

/** Keeps the cache of server data while pages come and go. The doors, which read no data, do without its library. */
export interface QueryKeeper {
  /** The cache, made by the first who needs it. */
  take(make: () => QueryClient): QueryClient;
  clear(): void;
}

export function createQueryKeeper(): QueryKeeper {
  let kept: QueryClient | undefined;
  return {
    take(make) {
      kept ??= make();
      return kept;
    },
    clear: () => kept?.clear(),
  };
}

const KeeperContext = createContext<QueryKeeper | null>(null);

export function QueryKeeperProvider({ keeper, children }: { keeper: QueryKeeper; children: ReactNode }) {
  return <KeeperContext value={keeper}>{children}</KeeperContext>;
}

export function useQueryKeeper(): QueryKeeper {
  const keeper = use(KeeperContext);
  if (keeper === null) throw new Error('No QueryKeeperProvider above.');
  return keeper;
}
