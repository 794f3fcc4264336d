import type { RoomParticipant } from '#src/features/voice/engine/types.ts';

/**
 * Counts the people in the room, each once, whatever number of tabs and devices they use; counts guests separately
 * [ROOM22]. Lists and the dashboard count likewise.
 */
export function countPeople(participants: readonly Pick<RoomParticipant, 'userId' | 'guest'>[]) {
  const peopleOf = (isGuest: boolean) =>
    new Set(participants.filter(({ guest }) => (guest !== null) === isGuest).map(({ userId }) => userId)).size;
  return { users: peopleOf(false), guests: peopleOf(true) };
}
