import type { RoomStatus } from './engine/types.ts';

/** A status by which the room refused the user or put them out. */
export type FinalStatus = Extract<RoomStatus, { state: 'refused' | 'closed' }>;

/** The cause, as the key of its words in `closed.<cause>`. */
export type FinalCause =
  | 'not_found'
  | 'not_a_member'
  | 'unauthenticated'
  | 'other'
  | Extract<RoomStatus, { state: 'closed' }>['reason'];

export const isFinal = (status: RoomStatus): status is FinalStatus =>
  status.state === 'refused' || status.state === 'closed';

export function causeOf(status: FinalStatus): FinalCause {
  if (status.state === 'closed') return status.reason;
  const { code } = status;
  return code === 'not_found' || code === 'not_a_member' || code === 'unauthenticated' ? code : 'other';
}
