import type { ChannelMember } from '@pressel/contract/users';
import { memberName } from '#src/shared/format/member-name.ts';

type Ordered = Pick<ChannelMember, 'id' | 'firstName' | 'lastName' | 'display_name' | 'pseudo'>;

/**
 * Compares members as the server's lists have them: by first name, then by last name, numbers by their value, whatever the
 * language. To be made once for each list that is sorted.
 */
export function memberOrder(): (one: Ordered, other: Ordered) => number {
  const { compare } = new Intl.Collator('und', { numeric: true });
  return (one, other) =>
    compare(one.firstName, other.firstName) ||
    compare(one.lastName, other.lastName) ||
    compare(memberName(one), memberName(other)) ||
    (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** Who is here first, each part in the order of lists: rows that were read before are newer than the order they came in. */
export function presentFirst<Row extends Ordered>(rows: readonly Row[], isHere: (row: Row) => boolean): Row[] {
  return hereFirst([...rows].sort(memberOrder()), isHere);
}

/** The same where rows are in their order, or in the other one. */
export const hereFirst = <Row>(rows: readonly Row[], isHere: (row: Row) => boolean): Row[] => [
  ...rows.filter(isHere),
  ...rows.filter((row) => !isHere(row)),
];
