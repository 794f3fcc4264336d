import type { RoomParticipant } from './engine/types.ts';

/**
 * How many people are in the room, whatever number of tabs and devices each is there with, and apart from them how many
 * guests [ROOM22]. Lists and the dashboard count likewise.
 */
export function countPeople(participants: readonly Pick<RoomParticipant, 'userId' | 'guest'>[]) {
  const peopleOf = (isGuest: boolean) =>
    new Set(participants.filter(({ guest }) => (guest !== null) === isGuest).map(({ userId }) => userId)).size;
  return { users: peopleOf(false), guests: peopleOf(true) };
}
