import type { ChannelId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';

type Ordered = Pick<ChannelMember, 'id' | 'firstName' | 'lastName' | 'pseudo'>;

/**
 * Compares members as the server's lists do: by first name, last name, then pseudo, with numbers by value. The language
 * of names and browser doesn't matter. To be made once for each list that is sorted.
 */
export function memberOrder(): (one: Ordered, other: Ordered) => number {
  // English equals ICU's root order, which is the server's ('natural_order'). Browsers have no root: for 'und' they use
  // their own language.
  const { compare: inDictionary } = new Intl.Collator('en', { numeric: true });
  // Like the database, which tells apart texts that the dictionary order doesn't: '1' and '01'.
  const compare = (one: string, other: string) => inDictionary(one, other) || (one < other ? -1 : one > other ? 1 : 0);
  return (one, other) =>
    compare(one.firstName, other.firstName) ||
    compare(one.lastName, other.lastName) ||
    compare(one.pseudo, other.pseudo) ||
    (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** Puts the rows of people who are here first; each part keeps its order. */
export const inRoomFirst = <Row>(rows: readonly Row[], isHere: (row: Row) => boolean): Row[] => [
  ...rows.filter(isHere),
  ...rows.filter((row) => !isHere(row)),
];

/** Whether one of a user's sockets is in the room of this channel. */
export const isInRoom = (
  { user_sockets: sockets }: Pick<ChannelMember, 'user_sockets'>,
  channelId: ChannelId,
): boolean => sockets.some((socket) => socket.channelId === channelId);
