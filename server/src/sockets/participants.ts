import type { ParticipantId } from '@pressel/contract/ids';
import type { LiveParticipant } from './gateway.ts';

/** The participants of this process, with or without a socket at the moment. */
export interface Participants {
  find(id: string): LiveParticipant | null;
  all(): Iterable<LiveParticipant>;
  count(): number;
  put(participant: LiveParticipant): void;
  /**
   * Gives a participant that is in no room the id that it had in another process. This works only once: the other clients have closed
   * their connections to a participant that ended here.
   */
  adopt(participant: LiveParticipant, id: ParticipantId): void;
  take(participant: LiveParticipant): void;
  /** Gives a participant back the id by which it connected: nobody knows the one that it adopted. */
  disown(participant: LiveParticipant): void;
  /** The same as `take` when another process took the participant over: it may come back under its id. */
  release(participant: LiveParticipant): void;
}

export function createParticipants(): Participants {
  const known = new Map<string, LiveParticipant>();
  const adopted = new Set<string>();
  const take = (participant: LiveParticipant): void => {
    if (known.get(participant.id) === participant) known.delete(participant.id);
  };
  return {
    find: (id) => known.get(id) ?? null,
    all: () => known.values(),
    count: () => known.size,
    put: (participant) => void known.set(participant.id, participant),
    adopt(participant, id) {
      if (adopted.has(id)) return;
      adopted.add(id);
      take(participant);
      participant.id = id;
      known.set(id, participant);
    },
    take,
    disown(participant) {
      take(participant);
      participant.id = participant.storedAs;
      known.set(participant.id, participant);
    },
    release(participant) {
      take(participant);
      adopted.delete(participant.id);
    },
  };
}
