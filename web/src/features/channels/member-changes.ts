import type { UserId } from '@pressel/contract/ids';

/** Who was put into a channel (true) or taken out of it (false), against what the server last told. */
export type MemberChanges = ReadonlyMap<UserId, boolean>;

/** The changes after these rows were ticked or unticked; what is as the server has it is no change. */
export function changedMembers(
  changes: MemberChanges,
  users: readonly { id: UserId; isMember?: boolean | undefined }[],
  isPicked: boolean,
): MemberChanges {
  const next = new Map(changes);
  for (const { id, isMember = false } of users) {
    if (isPicked === isMember) next.delete(id);
    else next.set(id, isPicked);
  }
  return next;
}

/** Who comes and who goes. */
export function membersAfter(changes: MemberChanges): { added: UserId[]; removed: UserId[] } {
  const ids = [...changes];
  return {
    added: ids.filter(([, isPicked]) => isPicked).map(([id]) => id),
    removed: ids.filter(([, isPicked]) => !isPicked).map(([id]) => id),
  };
}
