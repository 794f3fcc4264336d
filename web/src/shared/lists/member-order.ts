import type { ChannelMember } from '@pressel/contract/users';

type Ordered = Pick<ChannelMember, 'id' | 'firstName' | 'lastName' | 'pseudo'>;

/**
 * Compares members as the server's lists have them: by first name, last name, then pseudo, numbers by their value, whatever the
 * language of names and browser. To be made once for each list that is sorted.
 */
export function memberOrder(): (one: Ordered, other: Ordered) => number {
  // English changes nothing in the order of ICU's root, which is the server's ('natural_order'). A browser has no root: for 'und' it
  // takes its own language.
  const { compare: inDictionary } = new Intl.Collator('en', { numeric: true });
  // As the database, which tells apart what the dictionary doesn't: '1' and '01'.
  const compare = (one: string, other: string) => inDictionary(one, other) || (one < other ? -1 : one > other ? 1 : 0);
  return (one, other) =>
    compare(one.firstName, other.firstName) ||
    compare(one.lastName, other.lastName) ||
    compare(one.pseudo, other.pseudo) ||
    (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** Who is here first, each part in the order that the rows are in. */
export const hereFirst = <Row>(rows: readonly Row[], isHere: (row: Row) => boolean): Row[] => [
  ...rows.filter(isHere),
  ...rows.filter((row) => !isHere(row)),
];
