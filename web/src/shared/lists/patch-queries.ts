import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

/** Lists that must be read again are read after this, and this often at most, ms. */
const REREAD_MS = 500;

export interface QueryPatcher {
  /**
   * Changes what was read under this key and the keys that begin with it. What is being read at this moment may be
   * older than the news: it is read again.
   * @param patch returns the very same data when nothing in it changes
   * @param isBeyond whether a list may have other rows by the news, so that it must be read again
   */
  patch<Data>(
    queryKey: QueryKey,
    patch: (data: Data, query: Query) => Data,
    isBeyond?: (query: Query) => boolean,
  ): void;
  close(): void;
}

export function createQueryPatcher(queries: QueryClient): QueryPatcher {
  let stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reread = () => {
    timer = undefined;
    const [begun, first] = split(queries, stale);
    stale = first;
    void queries.invalidateQueries({ predicate: ({ queryHash }) => begun.has(queryHash) });
    if (first.size > 0) timer = setTimeout(reread, REREAD_MS);
  };

  return {
    patch<Data>(
      queryKey: QueryKey,
      patch: (data: Data, query: Query) => Data,
      isBeyond: (query: Query) => boolean = () => false,
    ) {
      for (const query of queries.getQueryCache().findAll({ queryKey })) {
        // What stands under a key was read by the query of that key.
        const data = query.state.data as Data | undefined;
        // Not setQueryData: a list that is due to be read again stays so.
        if (data !== undefined) {
          const patched = patch(data, query);
          if (patched !== data) query.setState({ data: patched });
        }
        if (query.state.fetchStatus === 'idle' && !isBeyond(query)) continue;
        stale.add(query.queryHash);
      }
      if (stale.size > 0) timer ??= setTimeout(reread, REREAD_MS);
    },
    close: () => clearTimeout(timer),
  };
}

/** A list that is being read for the first time cannot be begun anew: it is read again when it is there. */
function split(queries: QueryClient, hashes: ReadonlySet<string>): [Set<string>, Set<string>] {
  const cache = queries.getQueryCache();
  const isFirst = (hash: string) => {
    const state = cache.get(hash)?.state;
    return state?.data === undefined && state?.fetchStatus === 'fetching';
  };
  return [new Set([...hashes].filter((hash) => !isFirst(hash))), new Set([...hashes].filter(isFirst))];
}
