import type { UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';
import { memberName } from '#src/shared/format/member-name.ts';
import { memberOrder } from '#src/shared/lists/member-order.ts';

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
  const here = new Set(participants.map((one) => one.userId));
  const talking = new Map<UserId, 'talking' | 'selfTalking'>();
  for (const one of participants) if (one.isTalking) talking.set(one.userId, one.isSelf ? 'selfTalking' : 'talking');
  const words = folded(options.filter).split(/\s+/);
  const isFound = (name: string) => words.every((word) => name.includes(word));
  const found: MemberRow[] = members
    .filter((one) => isFound(one.folded))
    .map(({ member, name }) => ({
      id: member.id,
      name,
      photo: member.photo_url,
      presence: options.isLive ? presenceOf(member, here, talking) : 'unknown',
      isGuest: false,
    }));
  if (options.isDescending) found.reverse();
  const { compare } = new Intl.Collator(options.language, { numeric: true, sensitivity: 'base' });
  const order = options.isDescending ? -1 : 1;
  const guests = guestRows(participants, talking, options.isLive)
    .filter(({ name }) => isFound(folded(name)))
    .sort((a, b) => order * (compare(a.name, b.name) || (a.id < b.id ? -1 : 1)));
  return [...found.filter(isHere), ...found.filter((row) => !isHere(row)), ...guests];
}

const isHere = ({ presence }: MemberRow): boolean =>
  presence === 'here' || presence === 'talking' || presence === 'selfTalking';

/** Guests are no members: they come after them, each once, and only while they are in the room. */
function guestRows(
  participants: readonly RoomParticipant[],
  talking: ReadonlyMap<UserId, MemberPresence>,
  isLive: boolean,
): MemberRow[] {
  const guests = new Map(participants.flatMap((one) => (one.guest === null ? [] : [[one.userId, one.name] as const])));
  return [...guests].map(([id, name]) => ({
    id,
    name,
    photo: null,
    presence: isLive ? (talking.get(id) ?? 'here') : 'unknown',
    isGuest: true,
  }));
}

function presenceOf(
  member: ChannelMember,
  here: ReadonlySet<UserId>,
  talking: ReadonlyMap<UserId, MemberPresence>,
): MemberPresence {
  const talks = talking.get(member.id);
  if (talks !== undefined) return talks;
  if (here.has(member.id)) return 'here';
  return member.user_sockets.length > 0 ? 'online' : 'away';
}

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
