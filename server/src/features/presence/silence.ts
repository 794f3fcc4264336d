import { setTimeout as sleep } from 'node:timers/promises';
import { BEAT_SILENCE_MS, FLOOR_BUSY_MS } from '@pressel/contract/limits';
import type { PhotoPaths } from '#src/http/signed-paths.ts';
import type { PingBrowser } from '#src/sockets/sign-of-life.ts';
import type { EnteredRoom, LiveParticipant, Sockets } from '#src/sockets/sockets.ts';
import { participantAs, tellOfParticipant } from './names.ts';
import type { PresenceStore, Silence } from './presence.store.ts';

/** A room is told after this even if the database doesn't answer, ms. */
const STORED_WITHIN_MS = 500;

interface SilenceNewsDeps {
  sockets: Pick<Sockets, 'to'>;
  store: Pick<PresenceStore, 'silence'>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  /** Whether other processes hold participants of the same rooms. */
  isShared: boolean;
  /** Whether this process alone has lost the database. Then it can't store a silence, and others would never tell its end. */
  isCutOff(): boolean;
  /** Called when another process has the participant now. */
  release(participant: LiveParticipant): void;
}

/** Tells rooms which participants can't be heard of, and which can be again, as of this moment. */
type TellSilence = (
  enteredRooms: readonly { participant: LiveParticipant; enteredRoom: EnteredRoom }[],
) => Promise<void>;

/**
 * With several processes, a change is stored first: a newcomer at another process reads it there, or is in the room already and
 * is told [PROC12]. Changes are stored one after the other; those that failed go with the next ones.
 */
export function createSilenceNews({
  sockets,
  store,
  photos,
  isShared,
  isCutOff,
  release,
}: SilenceNewsDeps): TellSilence {
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
    if (isCutOff()) return;
    for (const change of changes) unsent.set(change.enteredRoom, change);
    if (unsent.size === 0) return;
    last = last.then(write, write);
    await Promise.race([last, sleep(STORED_WITHIN_MS, undefined, { ref: false })]);
    // A participant that was released meanwhile is in no room here.
    for (const change of changes) tell(change);
  };
}

/** Interval of the sweeps, ms; together with BEAT_SILENCE_MS less than 3 s. */
export const SILENCE_SWEEP_MS = 500;
/** If the last sweep is longer ago than this, the process stood still. */
const SWEEP_LATE_MS = 2 * SILENCE_SWEEP_MS;
/** After this long without a beat the browser is asked: twice, whenever the sweeps fall, and first a second before it counts. */
const DOUBT_MS = BEAT_SILENCE_MS - 2 * SILENCE_SWEEP_MS;

export interface SilenceDeps {
  sockets: Pick<Sockets, 'participants'>;
  tell: TellSilence;
  pingBrowser: PingBrowser;
  /** The clock that beats are noted by: monotonic, ms. */
  now: () => number;
}

/**
 * Tells rooms which participants stay silent, and which are back [PRES27]. Call it every SILENCE_SWEEP_MS: one look at all
 * sockets costs less than a timer for each, which every beat would have to set anew.
 */
export function createSilenceSweep({ sockets, tell, pingBrowser, now }: SilenceDeps): () => Promise<void> {
  let sweptAt = now();
  /** End of the last time that the process stood still: beats of that time may not be read yet. */
  let stoodUntil = sweptAt;
  /** The time at which the browser last answered for its page. */
  const answeredAt = new WeakMap<LiveParticipant, number>();

  /** The time until which a participant counts as there, from that of its last beat. */
  const thereUntil = (participant: LiveParticipant, beatAt: number): number => {
    const answered = answeredAt.get(participant) ?? beatAt;
    return Math.max(beatAt + BEAT_SILENCE_MS, Math.min(answered + BEAT_SILENCE_MS, beatAt + FLOOR_BUSY_MS));
  };
  const isSilent = (participant: LiveParticipant, enteredRoom: EnteredRoom, time: number): boolean => {
    if (enteredRoom.beatAt === null) return false;
    // Only a beat ends a silence: a browser may answer late, after its link stood still, while its page still does nothing.
    if (enteredRoom.isSilent) return time - enteredRoom.beatAt >= BEAT_SILENCE_MS;
    return time >= thereUntil(participant, Math.max(enteredRoom.beatAt, stoodUntil));
  };
  const isInDoubt = ({ beatAt, isSilent: isTold }: EnteredRoom, time: number): boolean =>
    beatAt !== null && !isTold && time - Math.max(beatAt, stoodUntil) >= DOUBT_MS;

  return async () => {
    const changed: { participant: LiveParticipant; enteredRoom: EnteredRoom }[] = [];
    const time = now();
    if (time - sweptAt > SWEEP_LATE_MS) stoodUntil = time;
    sweptAt = time;
    for (const participant of sockets.participants.all()) {
      const { socket } = participant;
      // Its rooms were told that its link is lost.
      if (socket === null) continue;
      const enteredRooms = [...participant.enteredRooms.values()];
      for (const enteredRoom of enteredRooms) {
        if (isSilent(participant, enteredRoom, time) === enteredRoom.isSilent) continue;
        enteredRoom.isSilent = !enteredRoom.isSilent;
        changed.push({ participant, enteredRoom });
      }
      if (!enteredRooms.some((enteredRoom) => isInDoubt(enteredRoom, time))) continue;
      pingBrowser(socket, () => void answeredAt.set(participant, now()));
    }
    await tell(changed);
  };
}
