import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import type { StatusNews, UserPresence } from '@pressel/contract/presence';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { ChannelMember, User } from '@pressel/contract/users';
import type { ListPage } from './list-view.ts';
import type { UsersPage } from './lists.queries.ts';

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
