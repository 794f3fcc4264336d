import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { memberName } from '#src/shared/format/member-name.ts';
import { folded } from '#src/shared/lists/folded.ts';
import { isInRoom } from '#src/shared/lists/is-in-room.ts';
import { hereFirst } from '#src/shared/lists/member-order.ts';
import { compareMembers, type MembersPart } from './members-part.ts';

/** `here`: in this room. `online`: signed in, but not in this room. `unknown`: the link is lost. */
export type MemberPresence = 'selfTalking' | 'talking' | 'here' | 'online' | 'away' | 'unknown';

/** What is looked for among the members, and their order. */
export interface MembersView {
  filter: string;
  isDescending: boolean;
}

export interface MemberRow {
  id: UserId;
  name: string;
  /** Where the photo is; null without one. */
  photo: string | null;
  presence: MemberPresence;
  /** Came by a guest link. */
  isGuest: boolean;
}

/** What a row has of somebody who is in the live room. */
export interface PersonHere {
  userId: UserId;
  name: string;
  isSelf: boolean;
  isTalking: boolean;
  /** Null for all who have an account. */
  guest: object | null;
}

/** The room that the members are seen from. */
export interface MembersRoom {
  channelId: ChannelId | undefined;
  /** Who is in the live room; undefined where it isn't at hand, and the members' own sockets say it. */
  participants: readonly PersonHere[] | undefined;
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
}

/** Of a list that is all there, what a filter finds, in the order of names or the other one. */
export function viewed(part: MembersPart, view: MembersView, channelId: ChannelId | undefined): MembersPart {
  const isFound = foundBy(view.filter);
  let rows = part.rows;
  if (view.filter.trim() !== '') {
    rows = rows.filter(({ firstName, lastName, pseudo }) => isFound(`${firstName} ${lastName} ${pseudo}`));
  }
  if (view.isDescending && channelId !== undefined) {
    rows = [...rows].sort(compareMembers({ channelId, isDescending: true }));
  }
  return { ...part, view, rows, total: rows.length };
}

/** Whether a name has every word of a filter, ignoring case and accents, as the server finds members. */
function foundBy(filter: string): (name: string) => boolean {
  const words = folded(filter.trim()).split(/\s+/);
  return (name) => {
    const text = folded(name);
    return words.every((word) => text.includes(word));
  };
}

/**
 * The rows of members who are in their order. Who is here comes first: by the live room, because the list is slightly older.
 * Without a link everybody stays where they were.
 */
export function memberRows(members: readonly ChannelMember[], room: MembersRoom): MemberRow[] {
  const live = liveOf(room);
  const rows = members.map((member) => {
    const presence = presenceOf(member, room, live);
    const isThere = room.isLive ? isHere(presence) : isInChannel(member, room.channelId);
    const row: MemberRow = {
      ...{ id: member.id, name: memberName(member), photo: member.photo_url },
      ...{ presence, isGuest: false },
    };
    return { row, isThere };
  });
  return hereFirst(rows, ({ isThere }) => isThere).map(({ row }) => row);
}

/** Guests are no members: they come after them, each once, and only while they are in the room. */
export function guestRows(room: MembersRoom, { filter, isDescending }: MembersView, language: string): MemberRow[] {
  const { participants = [], isLive } = room;
  const isFound = foundBy(filter);
  const { talking } = liveOf(room);
  const guests = new Map(participants.flatMap((one) => (one.guest === null ? [] : [[one.userId, one.name] as const])));
  const { compare } = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  const order = isDescending ? -1 : 1;
  return [...guests]
    .filter(([, name]) => isFound(name))
    .map(
      ([id, name]): MemberRow => ({
        ...{ id, name, photo: null },
        ...{ presence: isLive ? (talking.get(id) ?? 'here') : 'unknown', isGuest: true },
      }),
    )
    .sort((a, b) => order * (compare(a.name, b.name) || (a.id < b.id ? -1 : 1)));
}

const isHere = (presence: MemberPresence): boolean =>
  presence === 'here' || presence === 'talking' || presence === 'selfTalking';

const isInChannel = (member: Pick<ChannelMember, 'user_sockets'>, channelId: ChannelId | undefined): boolean =>
  channelId !== undefined && isInRoom(member, channelId);

interface Live {
  /** Null where the live room isn't at hand. */
  here: ReadonlySet<UserId> | null;
  talking: ReadonlyMap<UserId, 'talking' | 'selfTalking'>;
}

function liveOf({ participants }: MembersRoom): Live {
  const talking = new Map<UserId, 'talking' | 'selfTalking'>();
  for (const one of participants ?? []) {
    if (one.isTalking) talking.set(one.userId, one.isSelf ? 'selfTalking' : 'talking');
  }
  return { here: participants === undefined ? null : new Set(participants.map((one) => one.userId)), talking };
}

function presenceOf(
  member: Pick<ChannelMember, 'id' | 'user_sockets'>,
  { channelId, isLive }: MembersRoom,
  { here, talking }: Live,
): MemberPresence {
  if (!isLive) return 'unknown';
  const talks = talking.get(member.id);
  if (talks !== undefined) return talks;
  if (here === null ? isInChannel(member, channelId) : here.has(member.id)) return 'here';
  return member.user_sockets.length > 0 ? 'online' : 'away';
}

/** Whether a call would ring somewhere. Guests have no account to be called by. */
export const isReachable = ({ isGuest, presence }: Pick<MemberRow, 'isGuest' | 'presence'>): boolean =>
  !isGuest && presence !== 'away' && presence !== 'unknown';

/** The same of one member who has no row at hand; who is being read is not online elsewhere. */
export function isMemberReachable(id: UserId, member: ChannelMember | null | undefined, room: MembersRoom): boolean {
  const user_sockets = member?.user_sockets ?? [];
  return isReachable({ isGuest: false, presence: presenceOf({ id, user_sockets }, room, liveOf(room)) });
}
