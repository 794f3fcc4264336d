import type { UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';
import { memberName } from '#src/shared/format/member-name.ts';
import { hereFirst, memberOrder } from '#src/shared/lists/member-order.ts';

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

/** A member under the name that lists show, which is worked out once for each list that is read. */
export interface NamedMember {
  member: ChannelMember;
  name: string;
  /** The name as filters compare it. */
  folded: string;
}

/** The members in the order of lists. Thousands take a while, so it is for each list that is read, not for each talk. */
export function namedMembers(members: readonly ChannelMember[]): NamedMember[] {
  return [...members].sort(memberOrder()).map((member) => {
    const name = memberName(member);
    return { member, name, folded: folded(name) };
  });
}

/**
 * The members, and after them the guests, whose name contains every word of the filter (ignoring case and accents). Who is
 * here comes first, each part in the order of `members` or in the other one. Presence in this room is taken from the live
 * room, because the list is slightly older.
 */
export function memberRows(
  members: readonly NamedMember[],
  participants: readonly RoomParticipant[],
  options: MembersView & { language: string; isLive: boolean },
): MemberRow[] {
  const live = options.isLive ? liveOf(participants) : null;
  const words = folded(options.filter).split(/\s+/);
  const isFound = (name: string) => words.every((word) => name.includes(word));
  const found: MemberRow[] = members
    .filter((one) => isFound(one.folded))
    .map(({ member, name }) => ({
      id: member.id,
      name,
      photo: member.photo_url,
      presence: presenceOf(member, live),
      isGuest: false,
    }));
  if (options.isDescending) found.reverse();
  const { compare } = new Intl.Collator(options.language, { numeric: true, sensitivity: 'base' });
  const order = options.isDescending ? -1 : 1;
  const guests = guestRows(participants, live)
    .filter(({ name }) => isFound(folded(name)))
    .sort((a, b) => order * (compare(a.name, b.name) || (a.id < b.id ? -1 : 1)));
  return [...hereFirst(found, isHere), ...guests];
}

const isHere = ({ presence }: MemberRow): boolean =>
  presence === 'here' || presence === 'talking' || presence === 'selfTalking';

/** Guests are no members: they come after them, each once, and only while they are in the room. */
function guestRows(participants: readonly RoomParticipant[], live: Live | null): MemberRow[] {
  const guests = new Map(participants.flatMap((one) => (one.guest === null ? [] : [[one.userId, one.name] as const])));
  return [...guests].map(([id, name]) => ({
    id,
    name,
    photo: null,
    presence: live === null ? 'unknown' : (live.talking.get(id) ?? 'here'),
    isGuest: true,
  }));
}

/** Who is in the room by the live room itself. */
interface Live {
  here: ReadonlySet<UserId>;
  talking: ReadonlyMap<UserId, 'talking' | 'selfTalking'>;
}

function liveOf(participants: readonly RoomParticipant[]): Live {
  const talking = new Map<UserId, 'talking' | 'selfTalking'>();
  for (const one of participants) if (one.isTalking) talking.set(one.userId, one.isSelf ? 'selfTalking' : 'talking');
  return { here: new Set(participants.map((one) => one.userId)), talking };
}

/** Without a link: unknown. */
function presenceOf({ id, user_sockets }: Pick<ChannelMember, 'id' | 'user_sockets'>, live: Live | null) {
  if (live === null) return 'unknown';
  const talks = live.talking.get(id);
  if (talks !== undefined) return talks;
  if (live.here.has(id)) return 'here';
  return user_sockets.length > 0 ? 'online' : 'away';
}

/** Whether a call would ring somewhere. Guests have no account to be called by. */
export const isReachable = ({ isGuest, presence }: Pick<MemberRow, 'isGuest' | 'presence'>): boolean =>
  !isGuest && presence !== 'away' && presence !== 'unknown';

/** The same of one member who has no row at hand; of `members`, while they are being read, nobody is online elsewhere. */
export function isMemberReachable(
  id: UserId,
  members: readonly ChannelMember[] | undefined,
  participants: readonly RoomParticipant[],
  isLive: boolean,
): boolean {
  const { user_sockets = [] } = members?.find((one) => one.id === id) ?? {};
  return isReachable({
    isGuest: false,
    presence: presenceOf({ id, user_sockets }, isLive ? liveOf(participants) : null),
  });
}

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
