import { setTimeout as sleep } from 'node:timers/promises';
import type { PhotoPaths } from '#src/http/signed-paths.ts';
import type { EnteredRoom, LiveParticipant, Sockets } from '#src/sockets/sockets.ts';
import { participantAs, tellOfParticipant } from './names.ts';
import type { PresenceStore, Silence } from './presence.store.ts';

/** A room is told after this even if the database doesn't answer, ms. */
const STORED_WITHIN_MS = 500;

export interface SilenceNewsDeps {
  sockets: Pick<Sockets, 'to'>;
  store: Pick<PresenceStore, 'silence'>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  /** Whether other processes hold participants of the same rooms. */
  isShared: boolean;
  /** Called when another process has the participant now. */
  release(participant: LiveParticipant): void;
}

/** Tells rooms which participants can't be heard of, and which can be again, as of this moment. */
export type TellSilence = (
  enteredRooms: readonly { participant: LiveParticipant; enteredRoom: EnteredRoom }[],
) => Promise<void>;

/**
 * With several processes, a change is stored first: a newcomer at another process reads it there, or is in the room already and
 * is told [PROC12]. Changes are stored one after the other; those that failed go with the next ones.
 */
export function createSilenceNews({ sockets, store, photos, isShared, release }: SilenceNewsDeps): TellSilence {
  const tell = ({ participant, enteredRoom, isSilent }: Silence): void => {
    if (participant.enteredRooms.get(enteredRoom.id) !== enteredRoom) return;
    const { silent: _now, ...shown } = participantAs(participant, enteredRoom, photos);
    tellOfParticipant(sockets, 'participant_changed', { ...shown, ...(isSilent && { silent: true }) });
  };

  const unsent = new Map<EnteredRoom, Silence>();
  let last: Promise<ReadonlySet<LiveParticipant>> = Promise.resolve(new Set<LiveParticipant>());
  const write = async (): Promise<ReadonlySet<LiveParticipant>> => {
    for (const [enteredRoom, { participant }] of unsent)
      if (participant.enteredRooms.get(enteredRoom.id) !== enteredRoom) unsent.delete(enteredRoom);
    const some = [...unsent.values()];
    if (some.length === 0) return new Set();
    const taken = await store.silence(some);
    if (taken === null) return new Set();
    for (const one of some) if (unsent.get(one.enteredRoom) === one) unsent.delete(one.enteredRoom);
    for (const participant of taken) release(participant);
    return taken;
  };

  return async (enteredRooms) => {
    const changes = enteredRooms.map(({ participant, enteredRoom }): Silence => {
      return { participant, enteredRoom, isSilent: enteredRoom.isSilent || participant.socket === null };
    });
    if (!isShared) {
      for (const change of changes) tell(change);
      return;
    }
    for (const change of changes) unsent.set(change.enteredRoom, change);
    if (unsent.size === 0) return;
    last = last.then(write, write);
    await Promise.race([last, sleep(STORED_WITHIN_MS, undefined, { ref: false })]);
    // A participant that was released meanwhile is in no room here.
    for (const change of changes) tell(change);
  };
}
