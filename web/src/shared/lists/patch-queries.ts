import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import type { StatusNews, UserPresence } from '@pressel/contract/presence';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { ChannelMember, User } from '@pressel/contract/users';
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { ListPage } from './list-view.ts';
import type { UsersPage } from './lists.queries.ts';

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

type TalkersNews = Pick<ServerPayload<'talkers_changed'>, 'channelId' | 'talkers'>;

/**
 * Applies presence news to lists that were read before. A list that shows nothing of them is returned unchanged, rows
 * keep their places, and a row that shows nothing new is the very same one.
 */

/** Patches a page of all users: only administrators see it, and only the news for them count. */
export function patchUsers(page: UsersPage, news: StatusNews): UsersPage {
  if (news.channelId !== null) return page;
  const known = byUser(news);
  const rows = patchRows(page.rows, (row) => withStatus(row, known.get(row.id)));
  const { connected = page.connected } = news;
  return rows === page.rows && connected === page.connected ? page : { ...page, rows: [...rows], connected };
}

/** Patches one user, for administrators. */
export const patchUser = (user: User, news: StatusNews): User =>
  news.channelId === null ? withStatus(user, byUser(news).get(user.id)) : user;

function withStatus(row: User, status: UserPresence | undefined): User {
  if (status === undefined) return row;
  const { user_sockets, userActivities = row.userActivities } = status;
  return { ...row, user_sockets, userActivities };
}

/** Patches a channel's members with the news that its members get, or administrators get of everything. */
export function patchMembers<Row extends ChannelMember>(
  members: readonly Row[],
  channelId: ChannelId,
  news: StatusNews,
): readonly Row[] {
  if (news.channelId !== null && news.channelId !== channelId) return members;
  const known = byUser(news);
  return patchRows(members, (row) => {
    const status = known.get(row.id);
    return status === undefined ? row : { ...row, user_sockets: seenFrom(channelId, status) };
  });
}

/** @param now the time of what happened last, by this device's clock, until the list is read again */
export function patchChannel<Row extends Channel>(row: Row, { rooms }: StatusNews, now: string): Row {
  const room = rooms.find(({ channelId }) => channelId === row.id);
  if (room === undefined || room.connected === row.connected) return row;
  return { ...row, connected: room.connected, lastActivityAt: now };
}

/** Patches a channel with its talkers. A user who no longer talks has talked last. */
export function patchTalkers<Row extends Channel>(row: Row, { channelId, talkers }: TalkersNews, now: string): Row {
  if (row.id !== channelId) return row;
  const [before, after] = [row.talkers.map(({ userId }) => userId), talkers.map(({ userId }) => userId)];
  if (before.join() === after.join()) return row;
  const next = { ...row, talkers: talkers.map(({ userId, name }) => ({ userId, name })) };
  const gone = row.talkers.findLast(({ userId }) => !after.includes(userId));
  return gone === undefined ? next : { ...next, lastTalk: { name: gone.name, endedAt: now }, lastActivityAt: now };
}

export function patchChannels<Page extends ListPage<Channel>>(page: Page, patch: (row: Channel) => Channel): Page {
  const rows = patchRows(page.rows, patch);
  return rows === page.rows ? page : { ...page, rows: [...rows] };
}

const byUser = ({ users }: StatusNews): Map<string, UserPresence> => new Map(users.map((one) => [one.userId, one]));

function patchRows<Row>(rows: readonly Row[], patch: (row: Row) => Row): readonly Row[] {
  const patched = rows.map(patch);
  return patched.every((row, index) => row === rows[index]) ? rows : patched;
}

/** A list of members says nothing of other rooms, not even to administrators. */
const seenFrom = (channelId: ChannelId, { user_sockets }: UserPresence) =>
  user_sockets.map((socket) => (socket.channelId === channelId ? socket : { ...socket, channelId: null }));
