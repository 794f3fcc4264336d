import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { memberName, nameForInitials } from '#src/shared/format/format.ts';
import { folded } from '#src/shared/lists/folded.ts';
import { inRoomFirst, isInRoom } from '#src/shared/lists/member-order.ts';
import { compareMembers, type MembersPart, type MembersView } from './members-part.ts';

/**
 * `here`: in this room. `cutOff`: in it too, but out of reach [PRES27]. `online`: signed in, but not in this room.
 * `unknown`: the own link is lost.
 */
export type MemberPresence = PresenceInRoom | 'online' | 'away' | 'unknown';
type PresenceInRoom = 'selfTalking' | 'talking' | 'here' | 'cutOff';

export interface MemberRow {
  id: UserId;
  name: string;
  /** The name that the initials are made of, where there is no photo. */
  initialsOf: string;
  /** The photo's address; null without one. */
  photo: string | null;
  presence: MemberPresence;
  /** Came by a guest link. */
  isGuest: boolean;
}

/** The facts that a row shows of somebody in the live room. */
export interface PersonInRoom {
  userId: UserId;
  name: string;
  /** The name that their initials are made of. */
  initialsOf: string;
  isSelf: boolean;
  isTalking: boolean;
  /** The state of their voice; `failed`: they can't be reached, as their tile says. */
  media: string;
  /** Null for people with an account. */
  guest: object | null;
}

/** The room that the members are seen from. */
export interface MembersRoom {
  channelId: ChannelId | undefined;
  /** The people in the live room. Undefined where the room isn't at hand; then the members' own sockets tell. */
  participants: readonly PersonInRoom[] | undefined;
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
}

/** Filters and orders a list that was read as a whole: what the filter finds, by name in the order of the view. */
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
 * Makes the rows of members who are in their order. People here come first: by the live room, because the list is
 * slightly older. Without a link everybody stays in place.
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
  return inRoomFirst(rows, ({ isThere }) => isThere).map(({ row }) => row);
}

/** Guests are not members. They come after the members, each once, and only while they are in the room. */
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

/** The people in the live room; null where that isn't at hand. */
type Live = ReadonlyMap<UserId, PresenceInRoom> | null;

/**
 * If one person has several participants, the first of these counts: a person who can be reached in one of two tabs can
 * be reached.
 */
const PRECEDENCE: readonly PresenceInRoom[] = ['selfTalking', 'talking', 'here', 'cutOff'];

function liveOf({ participants }: MembersRoom): Live {
  if (participants === undefined) return null;
  const here = new Map<UserId, PresenceInRoom>();
  for (const one of participants) {
    const [presence, before] = [presenceInRoom(one), here.get(one.userId)];
    if (before === undefined || PRECEDENCE.indexOf(presence) < PRECEDENCE.indexOf(before))
      here.set(one.userId, presence);
  }
  return here;
}

function presenceInRoom({ isTalking, isSelf, media }: PersonInRoom): PresenceInRoom {
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

/**
 * Whether a call would ring somewhere. A person who is cut off may have another device too. Guests have no account to
 * be called by.
 */
export const isReachable = ({ isGuest, presence }: Pick<MemberRow, 'isGuest' | 'presence'>): boolean =>
  !isGuest && presence !== 'away' && presence !== 'unknown';

/** The same for a member without a row. While the member is being read, they count as not online elsewhere. */
export function isMemberReachable(id: UserId, member: ChannelMember | null | undefined, room: MembersRoom): boolean {
  const user_sockets = member?.user_sockets ?? [];
  return isReachable({ isGuest: false, presence: presenceOf({ id, user_sockets }, room, liveOf(room)) });
}
