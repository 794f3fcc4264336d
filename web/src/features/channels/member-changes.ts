import type { UserId } from '@pressel/contract/ids';

/** Unsaved changes of members: added (true) or removed (false), relative to the server's state. */
export type MemberChanges = ReadonlyMap<UserId, boolean>;

/** The changes after selecting or deselecting rows. Values equal to the server's are dropped. */
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

/** The changes as lists of added and removed users. */
export function membersAfter(changes: MemberChanges): { added: UserId[]; removed: UserId[] } {
  const ids = [...changes];
  return {
    added: ids.filter(([, isPicked]) => isPicked).map(([id]) => id),
    removed: ids.filter(([, isPicked]) => !isPicked).map(([id]) => id),
  };
}
