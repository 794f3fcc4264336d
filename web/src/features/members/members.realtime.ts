import type { ChannelId, UserId } from '@pressel/contract/ids';
import { LIST_MAX_LIMIT, MEMBERS_NAMED_MAX } from '@pressel/contract/limits';
import type { StatusNews } from '@pressel/contract/presence';
import type { ChannelMember } from '@pressel/contract/users';
import type { Query, QueryClient } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import { createQueryPatcher, patchMembers } from '#src/shared/lists/patch-queries.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';
import {
  ALL_MEMBERS,
  listKey,
  listsKey,
  membersKey,
  PART_SIZE,
  personKey,
  readMembers,
  viewOf,
} from './members.queries.ts';
import {
  entrantsOf,
  isWhole,
  type MembersOrder,
  type MembersPart,
  type MembersView,
  withMembers,
  withMore,
  withStatus,
} from './members-part.ts';

/** Minimum interval between reads of members that news name, ms. It also limits reads of the same list from its start. */
const NAMED_MS = 1_000;
/** The same for members who enter the room and aren't shown yet: everybody in a crowded room reads them. */
const ENTRANTS_MS = 5_000;
/** A shown list that could not be read is tried again after this, ms: if the link was never down, nothing else would. */
export const RETRY_MS = 30_000;
/** Rows that are read once more with those that follow them, to detect missed rows between. */
const OVERLAP = 10;

interface FeedDeps {
  queries: QueryClient;
  realtime: Pick<Realtime, 'on'>;
  api: Api;
}

export interface MembersFeed {
  /** Reads more of a list, at least up to this row. */
  more(view: MembersView, row: number): Promise<void>;
  close(): void;
}

/** The feeds that keep a channel's members fresh, by client: one for each channel, however many parts of the screen show it. */
const feeds = new WeakMap<QueryClient, Map<ChannelId, { users: number; feed: MembersFeed }>>();

export const feedOf = (queries: QueryClient, channelId: ChannelId | undefined): MembersFeed | undefined =>
  channelId && feeds.get(queries)?.get(channelId)?.feed;

/**
 * Keeps what was read of a channel's members fresh by news, until the returned function is called. While nobody keeps
 * it, news are lost: the next screen that shows it reads it again.
 */
export function keepMembersFresh(deps: FeedDeps, channelId: ChannelId): () => void {
  const { queries } = deps;
  const known = feeds.get(queries) ?? new Map<ChannelId, { users: number; feed: MembersFeed }>();
  feeds.set(queries, known);
  const one = known.get(channelId) ?? { users: 0, feed: openFeed(deps, channelId) };
  known.set(channelId, one);
  one.users += 1;
  return () => {
    one.users -= 1;
    if (one.users > 0) return;
    known.delete(channelId);
    one.feed.close();
    void queries.invalidateQueries({ queryKey: membersKey(channelId), refetchType: 'none' });
  };
}

const same = (part: MembersPart): MembersPart => part;
const isBeingRead = ({ state }: Query): boolean => state.fetchStatus !== 'idle';

function openFeed({ queries, realtime, api }: FeedDeps, channelId: ChannelId): MembersFeed {
  const patcher = createQueryPatcher(queries);
  /** Presence news that came while rows were read. The rows may be older. */
  const journals = new Set<StatusNews[]>();
  const named = new Set<UserId>();
  const entrants = new Set<UserId>();
  const reading = new Set<string>();
  let isClosed = false;

  const orderOf = ({ queryKey }: Query): MembersOrder => ({ channelId, isDescending: viewOf(queryKey).isDescending });
  const lists = () =>
    queries
      .getQueryCache()
      .findAll({ queryKey: listsKey(channelId) })
      .flatMap((query) => {
        const part = query.state.data as MembersPart | undefined;
        return part === undefined ? [] : [{ query, part }];
      });
  const partOf = (query: Query) => query.state.data as MembersPart;
  const readAgain = throttle(() => void queries.invalidateQueries({ queryKey: membersKey(channelId) }), NAMED_MS);
  /** Lists in which a row may be missing, or be too many. They read no more until they are read anew. */
  const torn = new Set<string>();
  const readTorn = throttle(() => {
    const hashes = new Set(torn);
    torn.clear();
    void queries.invalidateQueries({ predicate: ({ queryHash }) => hashes.has(queryHash) });
  }, NAMED_MS);
  const readAnew = ({ queryHash }: Query) => {
    torn.add(queryHash);
    readTorn.call();
  };
  /** The row up to which more of a list is wanted that could not be read yet. */
  const wanted = new Map<string, number>();
  let retry: ReturnType<typeof setTimeout> | undefined;
  const readFailed = () => {
    retry = undefined;
    void queries.invalidateQueries({
      queryKey: listsKey(channelId),
      predicate: ({ state }) => state.status === 'error',
    });
  };

  /** Reads rows of a list, and gives them to `use` with the news applied that came meanwhile. */
  const read = async (
    query: Query,
    rows: Parameters<typeof readMembers>[3],
    use: (read: { rows: readonly ChannelMember[]; total: number }) => MembersPart | null,
  ): Promise<void> => {
    reading.add(query.queryHash);
    const journal: StatusNews[] = [];
    journals.add(journal);
    const { dataUpdateCount } = query.state;
    try {
      const answer = await readMembers(api, channelId, viewOf(query.queryKey), rows);
      if (isClosed) return;
      const fresh = journal.reduce((known, news) => patchMembers(known, channelId, news), answer.rows);
      // The list was read as a whole meanwhile, and that answer may be newer.
      const isOvertaken = query.state.dataUpdateCount !== dataUpdateCount;
      const part = isOvertaken ? null : use({ rows: fresh, total: answer.total });
      if (part !== null) query.setState({ data: part });
      else readAnew(query);
    } catch {
      // No news will name these members again. The list stays as it is until it was read as a whole.
      if (!isClosed) readAnew(query);
    } finally {
      reading.delete(query.queryHash);
      journals.delete(journal);
      if (named.size > 0 && !isClosed) readNamed.call();
    }
  };

  const readNamed = throttle(() => {
    if (named.size > MEMBERS_NAMED_MAX) {
      named.clear();
      readAgain.call();
      return;
    }
    // Two answers about one member could come in the wrong order, so these members are read after the current answer.
    if (reading.size > 0) return;
    const userIds = [...named];
    named.clear();
    if (userIds.length === 0) return;
    // A read that is under way may be older than the news.
    patcher.patch<MembersPart>(listsKey(channelId), same, isBeingRead);
    for (const { query } of lists()) {
      if (!query.isActive()) query.invalidate();
      else if (query.state.fetchStatus === 'idle') {
        void read(query, { userIds }, ({ rows, total }) => {
          const found = new Map(rows.map((row) => [row.id, row]));
          const changed = new Map(userIds.map((id) => [id, found.get(id) ?? null]));
          return withMembers(partOf(query), changed, total, orderOf(query));
        });
      }
    }
  }, NAMED_MS);
  const readEntrants = throttle(() => {
    for (const id of entrants) named.add(id);
    entrants.clear();
    readNamed.call();
  }, ENTRANTS_MS);

  /** A user whose row changed may have come into a list only if they are a member. A whole list has all members. */
  const mayBeShown = (id: UserId): boolean => {
    const all = queries.getQueryData<MembersPart>(listKey(channelId, ALL_MEMBERS));
    return all === undefined || !isWhole(all) || all.rows.some((row) => row.id === id);
  };

  const stops = [
    realtime.on('onUserStatusChanged', (news) => {
      for (const journal of journals) journal.push(news);
      for (const { part } of lists()) {
        for (const id of entrantsOf(part, news, channelId)) entrants.add(id as UserId);
      }
      if (entrants.size > 0) readEntrants.call();
      // Members who entered and aren't in a read under way are known only when its answer is there.
      const isAboutRoom = news.rooms.some((room) => room.channelId === channelId);
      patcher.patch<MembersPart>(
        listsKey(channelId),
        (part, query) => withStatus(part, news, orderOf(query)),
        (query) => isAboutRoom && isBeingRead(query),
      );
      patcher.patch<ChannelMember | null>(personKey(channelId), (one) =>
        one === null ? null : (patchMembers([one], channelId, news)[0] ?? one),
      );
    }),
    realtime.on('changed', ({ what, userIds, channelId: of = channelId, isGone }) => {
      if (of !== channelId || isGone || what === 'channels' || what === 'guests') return;
      if (userIds === undefined) return readAgain.call();
      const ids = what === 'users' ? userIds.filter(mayBeShown) : userIds;
      for (const id of ids) {
        named.add(id);
        void queries.invalidateQueries({ queryKey: personKey(channelId, id) });
      }
      if (ids.length > 0) readNamed.call();
    }),
    queries.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || !listsKey(channelId).every((part, at) => event.query.queryKey[at] === part))
        return;
      const { query, action } = event;
      if (action.type === 'error' && query.state.data !== undefined) retry ??= setTimeout(readFailed, RETRY_MS);
      // If an answer equals what was there before, nothing rerenders, so nobody asks a second time.
      const row = wanted.get(query.queryHash);
      if (action.type === 'success' && row !== undefined) void more(viewOf(query.queryKey), row);
    }),
  ];

  const more: MembersFeed['more'] = async (view, row) => {
    const query = queries.getQueryCache().find<MembersPart>({ queryKey: listKey(channelId, view) }) as
      | Query
      | undefined;
    if (query === undefined || torn.has(query.queryHash)) return;
    const { data, fetchStatus, status } = query.state;
    const part = data as MembersPart | undefined;
    if (part === undefined || isWhole(part) || row < part.rows.length) {
      wanted.delete(query.queryHash);
      return;
    }
    wanted.set(query.queryHash, row);
    // A list that could not be read is read again first, because the screen requests more of it all the time.
    if (reading.has(query.queryHash) || fetchStatus !== 'idle' || status === 'error') return;
    const start = Math.max(0, part.rows.length - OVERLAP);
    const limit = Math.min(Math.max(row - start, 0) + PART_SIZE, LIST_MAX_LIMIT);
    await read(query, { start, limit }, (answer) => {
      wanted.delete(query.queryHash);
      return withMore(partOf(query), answer, orderOf(query));
    });
  };

  return {
    more,
    close() {
      isClosed = true;
      for (const stop of stops) stop();
      clearTimeout(retry);
      patcher.close();
      readAgain.close();
      readTorn.close();
      readNamed.close();
      readEntrants.close();
    },
  };
}
