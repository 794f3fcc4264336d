import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { memberName, nameForInitials } from '#src/shared/format/member-name.ts';
import { folded } from '#src/shared/lists/folded.ts';
import { isInRoom } from '#src/shared/lists/is-in-room.ts';
import { hereFirst } from '#src/shared/lists/member-order.ts';
import { compareMembers, type MembersPart } from './members-part.ts';

/**
 * `here`: in this room. `cutOff`: in it too, but out of reach [PRES27]. `online`: signed in, but not in this room. `unknown`: the
 * own link is lost.
 */
export type MemberPresence = PresenceHere | 'online' | 'away' | 'unknown';
type PresenceHere = 'selfTalking' | 'talking' | 'here' | 'cutOff';

/** What is looked for among the members, and their order. */
export interface MembersView {
  filter: string;
  isDescending: boolean;
}

export interface MemberRow {
  id: UserId;
  name: string;
  /** What the initials are made of, where there is no photo. */
  initialsOf: string;
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
  /** What their initials are made of. */
  initialsOf: string;
  isSelf: boolean;
  isTalking: boolean;
  /** How their voice comes; `failed`: they can't be reached, as their tile says. */
  media: string;
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
      ...{ id: member.id, name: memberName(member), initialsOf: nameForInitials(member), photo: member.photo_url },
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
  const here = liveOf(room);
  const guests = new Map(participants.flatMap((one) => (one.guest === null ? [] : [[one.userId, one] as const])));
  const { compare } = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  const order = isDescending ? -1 : 1;
  return [...guests]
    .filter(([, { name }]) => isFound(name))
    .map(
      ([id, { name, initialsOf }]): MemberRow => ({
        ...{ id, name, initialsOf, photo: null },
        ...{ presence: isLive ? (here?.get(id) ?? 'here') : 'unknown', isGuest: true },
      }),
    )
    .sort((a, b) => order * (compare(a.name, b.name) || (a.id < b.id ? -1 : 1)));
}

const isHere = (presence: MemberPresence): boolean =>
  presence === 'here' || presence === 'cutOff' || presence === 'talking' || presence === 'selfTalking';

const isInChannel = (member: Pick<ChannelMember, 'user_sockets'>, channelId: ChannelId | undefined): boolean =>
  channelId !== undefined && isInRoom(member, channelId);

/** Of who is in the live room; null where that isn't at hand. */
type Live = ReadonlyMap<UserId, PresenceHere> | null;

/** Of several participants of one person the first of these counts: who can be reached at one of two tabs can be reached. */
const PRECEDENCE: readonly PresenceHere[] = ['selfTalking', 'talking', 'here', 'cutOff'];

function liveOf({ participants }: MembersRoom): Live {
  if (participants === undefined) return null;
  const here = new Map<UserId, PresenceHere>();
  for (const one of participants) {
    const [presence, before] = [presenceHere(one), here.get(one.userId)];
    if (before === undefined || PRECEDENCE.indexOf(presence) < PRECEDENCE.indexOf(before))
      here.set(one.userId, presence);
  }
  return here;
}

function presenceHere({ isTalking, isSelf, media }: PersonHere): PresenceHere {
  if (isTalking) return isSelf ? 'selfTalking' : 'talking';
  return media === 'failed' ? 'cutOff' : 'here';
}

function presenceOf(
  member: Pick<ChannelMember, 'id' | 'user_sockets'>,
  { channelId, isLive }: MembersRoom,
  live: Live,
): MemberPresence {
  if (!isLive) return 'unknown';
  const here = live === null ? isInChannel(member, channelId) && 'here' : live.get(member.id);
  return here || (member.user_sockets.length > 0 ? 'online' : 'away');
}

/** Whether a call would ring somewhere, also who is cut off may have another device. Guests have no account to be called by. */
export const isReachable = ({ isGuest, presence }: Pick<MemberRow, 'isGuest' | 'presence'>): boolean =>
  !isGuest && presence !== 'away' && presence !== 'unknown';

/** The same of one member who has no row at hand; who is being read is not online elsewhere. */
export function isMemberReachable(id: UserId, member: ChannelMember | null | undefined, room: MembersRoom): boolean {
  const user_sockets = member?.user_sockets ?? [];
  return isReachable({ isGuest: false, presence: presenceOf({ id, user_sockets }, room, liveOf(room)) });
}
