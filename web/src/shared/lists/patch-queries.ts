import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

/** Lists that must be read again are read after this, and this often at most, ms. */
const REREAD_MS = 500;

/** @returns the very same data when nothing in it changes */
type Patch = (data: NonNullable<unknown> | null) => NonNullable<unknown> | null;

export interface QueryPatcher {
  /**
   * Changes what was read under this key and the keys that begin with it. What is being read at this moment may be older than the
   * news: its answer is changed too, when it comes.
   * @param patch says how something is, not how it changes: it may also be done to what is newer than the news
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
  const cache = queries.getQueryCache();
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** News that came while something was read. */
  const journals = new Map<Query, Patch[]>();

  const plan = () => {
    if (stale.size > 0) timer ??= setTimeout(reread, REREAD_MS);
  };
  /**
   * A list that is being read is read again when it is there: where news never cease and the link is slow, one that is begun anew at
   * each would never come.
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
    // One that waits until somebody looks, perhaps for hours, is asked for after the news.
    if (fetchStatus === 'fetching') journal.push(change);
  };
  const write = (query: Query, patches: readonly Patch[]) => {
    const data = query.state.data as Parameters<Patch>[0] | undefined;
    if (data === undefined) return;
    const patched = patches.reduce((known, patch) => patch(known), data);
    // Not setQueryData: a list that is due to be read again stays so.
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
      // It is asked for once more, after these news.
      journals.set(query, []);
    } else if (action.type === 'error' || (action.type === 'setState' && action.state.fetchStatus === 'idle')) {
      journals.delete(query);
      // What was there before may have been put back, without the news.
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
        // What stands under a key was read by the query of that key.
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
