import type { ParticipantId, UserId } from '@pressel/contract/ids';
import type { Participant, RoomState } from '@pressel/contract/presence';
import type { Clock, Stop } from './platform.ts';
import type { MediaPeer } from './types.ts';

/** How long connections, and whoever talks, go on without a link to the server [TALK153]. */
export const LINK_KEEP_MS = 30_000;

/** Self and the others in a room. */
export interface RoomPeople {
  self(): Participant | null;
  others(): readonly Participant[];
  ids(): ReadonlySet<ParticipantId>;
  /** The others for the media layer, and how loud each is. */
  peers(volumeOf: (userId: UserId) => number): (MediaPeer & { volume: number })[];
  /**
   * The answer to a join. After a restart of the server those whom it misses may not be back yet: they stay until `keepUntil` (a reading of the
   * clock) while their voice has a way to self. Null: nobody stays. The same process misses nobody but those who are gone [TALK155].
   */
  enter(state: Pick<RoomState, 'self' | 'participants' | 'resume'>, keepUntil: number | null): void;
  joined(one: Participant): void;
  left(id: ParticipantId): void;
  changed(one: Participant): void;
  /** A link came up or went down. */
  linksChanged(): void;
  clear(): void;
}

export interface RoomPeopleDeps {
  clock: Clock;
  /** Whether this participant's voice has a way to self. */
  isLinked(id: ParticipantId): boolean;
  /** Others came or went. */
  onChange(): void;
}

/** The part of a resume token that tells the server's processes apart [PRES30]. */
const processOf = (token: string | null) => token?.split('.')[1];

export const createRoomPeople = ({ clock, isLinked, onChange }: RoomPeopleDeps): RoomPeople => {
  let self: Participant | null = null;
  let others: readonly Participant[] = [];
  /** Those who were in the room before self, who makes the offer [LINK1]. */
  let earlier: ReadonlySet<ParticipantId> = new Set();
  /** Those whom the server hasn't named since self is back. */
  const kept = new Set<ParticipantId>();
  let cancelKeep: Stop = () => undefined;
  /** Tells which process of the server answered the last join. */
  let process: string | undefined;

  const setOthers = (next: readonly Participant[]) => {
    others = next.filter(({ id }) => id !== self?.id);
    onChange();
  };
  const drop = (gone: readonly ParticipantId[]) => {
    if (gone.length === 0) return;
    for (const id of gone) kept.delete(id);
    setOthers(others.filter(({ id }) => !gone.includes(id)));
  };
  const stopKeeping = () => {
    cancelKeep();
    kept.clear();
  };

  return {
    self: () => self,
    others: () => others,
    ids: () => new Set(others.map(({ id }) => id)),
    peers: (volumeOf) =>
      others.map(({ id, userId, guest }) => ({
        ...{ id, person: userId, guestsOf: guest?.link ?? null, isEarlier: earlier.has(id) },
        volume: volumeOf(userId),
      })),
    enter(state, keepUntil) {
      stopKeeping();
      const named = new Set(state.participants.map(({ id }) => id));
      const answering = processOf(state.resume);
      const mayMiss = keepUntil !== null && answering !== process;
      process = answering;
      const missing = !mayMiss ? [] : others.filter(({ id }) => !named.has(id) && isLinked(id));
      for (const { id } of missing) kept.add(id);
      if (mayMiss) {
        cancelKeep = clock.after(Math.max(keepUntil - clock.now(), 0), () => drop([...kept]));
      }
      self = state.self;
      earlier = named;
      setOthers([...state.participants, ...missing]);
    },
    joined(one) {
      kept.delete(one.id);
      setOthers([...others.filter(({ id }) => id !== one.id), one]);
    },
    left: (id) => drop([id]),
    changed(one) {
      if (one.id === self?.id) self = one;
      others = others.map((other) => (other.id === one.id ? one : other));
    },
    linksChanged: () => drop([...kept].filter((id) => !isLinked(id))),
    clear() {
      stopKeeping();
      others = [];
    },
  };
};
