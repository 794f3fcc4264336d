import type { User } from '@pressel/contract/users';
import { fullName } from '#src/shared/api/users-query.ts';
import { foldText } from '#src/shared/format/format.ts';

/** Users whose name, pseudo or login holds the text, without regard to case and accents. */
export function matchingUsers(users: readonly User[], filter: string): readonly User[] {
  const wanted = foldText(filter.trim());
  if (wanted === '') return users;
  return users.filter((user) => foldText(`${fullName(user)}\n${user.pseudo}\n${user.identifier}`).includes(wanted));
}
