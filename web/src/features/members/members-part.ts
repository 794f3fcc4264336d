import type { ChannelId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import type { ChannelMember } from '@pressel/contract/users';
import { isInRoom } from '#src/shared/lists/is-in-room.ts';
import { memberOrder } from '#src/shared/lists/member-order.ts';
import { patchMembers } from '#src/shared/lists/status-patches.ts';
import type { MembersView } from './members.rules.ts';

/**
 * The beginning of a list of members: everybody who stands before its last row, and nobody else. It stays that by whatever
 * changes: who comes to stand beyond its last row goes out of it, who comes before it must be put in.
 */
export interface MembersPart {
  /** Of which list. */
  view: MembersView;
  rows: readonly ChannelMember[];
  /** How long the whole list is. */
  total: number;
  /** How many times more of it was read, or, being too long for one call, less. */
  parts: number;
}

/** Whose list, and in which order of names. Who is in the room comes first in both, then who is online [ROOM9]. */
export interface MembersOrder {
  channelId: ChannelId;
  isDescending: boolean;
}

export const isWhole = ({ rows, total }: Pick<MembersPart, 'rows' | 'total'>): boolean => rows.length >= total;

/** In the room, online elsewhere, or neither: the parts of a list, in this order. */
const rankOf = (member: Pick<ChannelMember, 'user_sockets'>, channelId: ChannelId): number => {
  if (isInRoom(member, channelId)) return 0;
  return member.user_sockets.length > 0 ? 1 : 2;
};

type Compare = (one: ChannelMember, other: ChannelMember) => number;

/** The order of a list, as the server has it. To be made once for each list that is changed. */
export function compareMembers({ channelId, isDescending }: MembersOrder): Compare {
  const byName = memberOrder();
  return (one, other) =>
    rankOf(one, channelId) - rankOf(other, channelId) || (isDescending ? byName(other, one) : byName(one, other));
}

/**
 * The same part after these members were read again; null: is not in the list any more.
 * @param total how long the list is now
 */
export function withMembers(
  part: MembersPart,
  changed: ReadonlyMap<string, ChannelMember | null>,
  total: number,
  order: MembersOrder,
): MembersPart {
  const compare = compareMembers(order);
  const last = part.rows.at(-1);
  const isAllThere = isWhole(part);
  const rows = part.rows.filter(({ id }) => !changed.has(id));
  for (const row of changed.values()) {
    if (row === null) continue;
    if (isAllThere || (last !== undefined && compare(row, last) <= 0)) insert(rows, row, compare);
  }
  return { ...part, rows, total };
}

/** The same part by news of who is where; the very same one where they change nothing that it shows. */
export function withStatus(part: MembersPart, news: StatusNews, order: MembersOrder): MembersPart {
  const rows = patchMembers(part.rows, order.channelId, news);
  if (rows === part.rows) return part;
  const moved = new Map<string, ChannelMember>();
  for (const [index, row] of rows.entries()) {
    const before = part.rows[index];
    if (before && rankOf(before, order.channelId) !== rankOf(row, order.channelId)) moved.set(row.id, row);
  }
  // Those who moved are compared with the last row as it stood.
  const stay = rows.map((row, index) => (moved.has(row.id) ? (part.rows[index] ?? row) : row));
  return withMembers({ ...part, rows: stay }, moved, part.total, order);
}

/**
 * Who is in the room or came online by these news, and may have to be in the part, which doesn't have them: by names alone it isn't
 * known. Whoever stands beyond its last row in any case is left out.
 */
export function entrantsOf(part: MembersPart, news: StatusNews, channelId: ChannelId): string[] {
  if (isWhole(part) || (news.channelId !== null && news.channelId !== channelId)) return [];
  const known = new Set<string>(part.rows.map(({ id }) => id));
  const last = part.rows.at(-1);
  const lastRank = last === undefined ? 0 : rankOf(last, channelId);
  return news.users.flatMap((one) => {
    const rank = rankOf(one, channelId);
    return rank < 2 && rank <= lastRank && !known.has(one.userId) ? [one.userId] : [];
  });
}

/**
 * The part with the rows that follow it, which were read from a few places before its end. Null where some between are
 * missing, because the list moved by more than these places meanwhile, and where none follows though the list is longer: one
 * that stands before the end is missing then, and was so before. Such a part is to be read anew.
 */
export function withMore(
  part: MembersPart,
  more: Pick<MembersPart, 'rows' | 'total'>,
  order: MembersOrder,
): MembersPart | null {
  const compare = compareMembers(order);
  const [first, last] = [more.rows[0], part.rows.at(-1)];
  const known = new Set<string>(part.rows.map(({ id }) => id));
  if (first && last && !known.has(first.id) && compare(first, last) > 0) return null;
  const read = new Set<string>(more.rows.map(({ id }) => id));
  const rows = part.rows.filter(({ id }) => !read.has(id));
  for (const row of more.rows) insert(rows, row, compare);
  const longer = { ...part, rows, total: more.total, parts: part.parts + 1 };
  return rows.length > part.rows.length || isWhole(longer) ? longer : null;
}

/** Into rows that are in their order: to sort thousands anew would be felt. */
function insert(rows: ChannelMember[], row: ChannelMember, compare: Compare): void {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const there = rows[middle];
    if (there !== undefined && compare(there, row) < 0) from = middle + 1;
    else to = middle;
  }
  rows.splice(from, 0, row);
}
