import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

/** Lists that must be read again are read after this, and at most this often, ms. */
const REREAD_MS = 500;

/** @returns the very same data when nothing in it changes */
type Patch = (data: NonNullable<unknown> | null) => NonNullable<unknown> | null;

export interface QueryPatcher {
  /**
   * Changes the data under this key and the keys that begin with it. A read under way may be older than the news, so
   * its answer is changed too.
   * @param patch says how something is, not how it changes: it may also be applied to data newer than the news
   * @param isBeyond whether the news may give a list other rows, so that it must be read again
   */
  patch<Data>(
    queryKey: QueryKey,
    patch: (data: Data, query: Query) => Data,
    isBeyond?: (query: Query) => boolean,
  ): void;
  close(): void;
}

export function createQueryPatcher(queries: QueryClient): QueryPatcher {
  const cache = queries.getQueryCache();
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** News that came while something was being read. */
  const journals = new Map<Query, Patch[]>();

  const plan = () => {
    if (stale.size > 0) timer ??= setTimeout(reread, REREAD_MS);
  };
  /**
   * A list that is being read is read again afterwards. If every news restarted the read, a slow link with constant
   * news would never finish one.
   */
  const reread = () => {
    timer = undefined;
    const due = new Set([...stale].filter((hash) => cache.get(hash)?.state.fetchStatus !== 'fetching'));
    for (const hash of due) stale.delete(hash);
    void queries.invalidateQueries({ predicate: ({ queryHash }) => due.has(queryHash) });
    plan();
  };
  const readAgain = ({ queryHash }: Query) => {
    stale.add(queryHash);
    plan();
  };
  const note = (query: Query, change: Patch) => {
    const { fetchStatus } = query.state;
    if (fetchStatus === 'idle') return;
    const journal = journals.get(query) ?? [];
    journals.set(query, journal);
    // A read that waits until somebody looks, perhaps for hours, starts after the news.
    if (fetchStatus === 'fetching') journal.push(change);
  };
  const write = (query: Query, patches: readonly Patch[]) => {
    const data = query.state.data as Parameters<Patch>[0] | undefined;
    if (data === undefined) return;
    const patched = patches.reduce((known, patch) => patch(known), data);
    // Not setQueryData, because a list that is due to be read again must stay so.
    if (patched !== data) query.setState({ data: patched });
  };

  const stop = cache.subscribe((event) => {
    const { query } = event;
    if (event.type === 'removed') journals.delete(query);
    const journal = journals.get(query);
    if (journal === undefined || event.type !== 'updated') return;
    const { action } = event;
    if (action.type === 'success' && action.manual !== true) {
      journals.delete(query);
      write(query, journal);
    } else if (action.type === 'failed') {
      // It is read once more, after these news.
      journals.set(query, []);
    } else if (action.type === 'error' || (action.type === 'setState' && action.state.fetchStatus === 'idle')) {
      journals.delete(query);
      // The data from before may have been put back, without the news.
      readAgain(query);
    }
  });

  return {
    patch<Data>(
      queryKey: QueryKey,
      patch: (data: Data, query: Query) => Data,
      isBeyond: (query: Query) => boolean = () => false,
    ) {
      for (const query of cache.findAll({ queryKey })) {
        // Data under a key were read by the query of that key.
        const change: Patch = (data) => patch(data as Data, query) as ReturnType<Patch>;
        note(query, change);
        write(query, [change]);
        if (isBeyond(query)) readAgain(query);
      }
    },
    close() {
      stop();
      clearTimeout(timer);
    },
  };
}
