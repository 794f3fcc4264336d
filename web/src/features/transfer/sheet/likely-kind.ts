import type { ImportKind } from '../import-kinds.ts';
import { matchColumns, missingFields } from './columns.ts';
import type { Sheet } from './sheet.ts';

/** The most columns of a list of channels: the name, and a note or two. */
const CHANNEL_COLUMNS_MAX = 3;

/** Returns the kind that a sheet's titles suggest, if it differs from the chosen one. */
export function otherKindOf(kind: ImportKind, { headers }: Sheet): ImportKind | undefined {
  const users = matchColumns('users', headers);
  if (kind === 'channels') {
    const isUsers = users.includes('identifier') && (users.includes('firstName') || users.includes('password'));
    return isUsers ? 'users' : undefined;
  }
  const isChannels = missingFields('channels', matchColumns('channels', headers)).length === 0;
  const hasPeople = users.includes('identifier') || users.includes('firstName');
  return isChannels && !hasPeople && headers.length <= CHANNEL_COLUMNS_MAX ? 'channels' : undefined;
}
