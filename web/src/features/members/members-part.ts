import type { ChannelId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import type { ChannelMember } from '@pressel/contract/users';
import { isInRoom, memberOrder } from '#src/shared/lists/member-order.ts';
import { patchMembers } from '#src/shared/lists/patch-queries.ts';

/** The filter and order of the members. */
export interface MembersView {
  filter: string;
  isDescending: boolean;
}

/**
 * The beginning of a list of members: everybody before its last row, and nobody else. It stays that whatever changes. A
 * member who moves beyond its last row is removed; a member who comes before it must be put in.
 */
export interface MembersPart {
  /** The view that the list has. */
  view: MembersView;
  rows: readonly ChannelMember[];
  /** The length of the whole list. */
  total: number;
  /** Counts the further reads of the list, and the reads that brought fewer rows because it was too long for one call. */
  parts: number;
}

/** The channel of a list, and its order of names. In both orders, members in the room come first, then those online [ROOM9]. */
export interface MembersOrder {
  channelId: ChannelId;
  isDescending: boolean;
}

export const isWhole = ({ rows, total }: Pick<MembersPart, 'rows' | 'total'>): boolean => rows.length >= total;

/** A member's rank in a list: in the room, online elsewhere, or neither. */
const rankOf = (member: Pick<ChannelMember, 'user_sockets'>, channelId: ChannelId): number => {
  if (isInRoom(member, channelId)) return 0;
  return member.user_sockets.length > 0 ? 1 : 2;
};

type Compare = (one: ChannelMember, other: ChannelMember) => number;

/** The order of a list, as on the server. To be made once for each list that is changed. */
export function compareMembers({ channelId, isDescending }: MembersOrder): Compare {
  const byName = memberOrder();
  return (one, other) =>
    rankOf(one, channelId) - rankOf(other, channelId) || (isDescending ? byName(other, one) : byName(one, other));
}

/**
 * Returns the part after these members were read again; null: no longer in the list.
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

/** Returns the part after presence news; the very same one where they change nothing that it shows. */
export function withStatus(part: MembersPart, news: StatusNews, order: MembersOrder): MembersPart {
  const rows = patchMembers(part.rows, order.channelId, news);
  if (rows === part.rows) return part;
  const moved = new Map<string, ChannelMember>();
  for (const [index, row] of rows.entries()) {
    const before = part.rows[index];
    if (before && rankOf(before, order.channelId) !== rankOf(row, order.channelId)) moved.set(row.id, row);
  }
  // Members who moved are compared with the last row as it was.
  const stay = rows.map((row, index) => (moved.has(row.id) ? (part.rows[index] ?? row) : row));
  return withMembers({ ...part, rows: stay }, moved, part.total, order);
}

/**
 * Returns the members who entered the room or came online by these news, and may belong into the part, which doesn't
 * have them. Names alone don't tell that. Members who stand beyond its last row in any case are left out.
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
 * Returns the part with the rows that follow it, which were read from a few places before its end. Null where some
 * between are missing, because the list moved by more than these places meanwhile. Null also where none follows though
 * the list is longer: then a row before the end was missing already. A part that gets null is to be read anew.
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

/** Inserts into sorted rows: users would notice if thousands were sorted anew. */
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
