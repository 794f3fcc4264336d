import type { ErrorCode } from '@pressel/contract/errors';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { Participant, RoomState } from '@pressel/contract/presence';
import type { Ack, EventInput, ServerPayload } from '@pressel/contract/realtime';
import type { Clock, Stop } from './platform.ts';
import type { MediaPeer, RoomStatus, Signalling } from './types.ts';

/** Delay before retrying a join that failed for a temporary reason; doubled each time, and a third more or less. */
export const REJOIN_FIRST_MS = 1_000;
const REJOIN_MAX_MS = 10_000;
/** Time after which a beat is sent beside a join that has no answer. */
export const JOIN_DOUBT_MS = 1_000;
/** How long this beat may stay unanswered. */
const JOIN_BEAT_LIMIT_MS = 3_000;

/** Error codes for which a join is not retried. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'not_a_member',
  'unauthenticated',
  'forbidden',
  'malformed',
  'rooms_full',
]);

/** The reason for the room's end that a refusal gives a former participant. */
const GONE: Partial<Record<ErrorCode, 'removed' | 'deleted'>> = {
  not_a_member: 'removed',
  not_found: 'deleted',
};

/** The room's final status after a refused join; null if the join is tried again. */
export const finalAfter = (
  code: ErrorCode,
  wasIn: boolean,
): Extract<RoomStatus, { state: 'closed' | 'refused' }> | null => {
  const gone = wasIn ? GONE[code] : undefined;
  // A former participant learns why they are out, even if it happened while their link was down.
  if (gone !== undefined) return { state: 'closed', reason: gone };
  return FINAL.has(code) ? { state: 'refused', code } : null;
};

/** Pause before the next join, ms, after this many failures in a row. */
const rejoinPause = (joinsFailed: number): number =>
  Math.min(REJOIN_FIRST_MS * 2 ** joinsFailed, REJOIN_MAX_MS) * (2 / 3 + (Math.random() * 2) / 3);

/** The joins of one room, which run one after the other. */
export const createJoins = ({
  clock,
  signalling,
}: {
  clock: Clock;
  signalling: Pick<Signalling, 'send' | 'reconnect'>;
}) => {
  let failed = 0;
  /** Number of the join, to ignore answers to earlier ones. */
  let attempt = 0;
  let cancelTimer: Stop = () => undefined;

  /** Resolves with null when a beat beside the join has no answer within `ms` either: the connection is dead. */
  const silence = (ms: number): Promise<null> =>
    new Promise((resolve) => {
      cancelTimer = clock.after(JOIN_DOUBT_MS, () => {
        const cancel = clock.after(ms, () => resolve(null));
        cancelTimer = cancel;
        void signalling.send('beat', { version: 0 }).then((answer) => {
          // Any answer from the server will do, such as `not_in_room`.
          if (answer.ok || answer.code !== 'unavailable' || answer.params.retryAfterSeconds !== undefined) cancel();
        });
      });
    });

  return {
    /**
     * @returns the answer; undefined if the join was cancelled meanwhile; null if there is none, and the connection
     * will be replaced
     */
    async ask(target: EventInput<'join_room'>): Promise<Ack<'join_room'> | null | undefined> {
      const mine = ++attempt;
      const pause = rejoinPause(failed);
      const limit = Math.min(pause, JOIN_BEAT_LIMIT_MS);
      const answer = await Promise.race([signalling.send('join_room', target), silence(limit)]);
      if (mine !== attempt) return undefined;
      cancelTimer();
      failed = answer?.ok ? 0 : failed + 1;
      if (answer === null) cancelTimer = clock.after(pause - limit, signalling.reconnect);
      return answer;
    },
    /** Call after a join that failed for a passing reason. */
    again(join: () => unknown) {
      cancelTimer = clock.after(rejoinPause(failed - 1), join);
    },
    cancel() {
      attempt += 1;
      cancelTimer();
    },
  };
};

type RoomEvent =
  | 'floor_changed'
  | 'floor_reply'
  | 'user joined'
  | 'user_exit'
  | 'participant_changed'
  | 'room_changed'
  | 'room_closed';

/**
 * The news of one room. The link carries the news of all rooms, and for a moment those of a room that was left
 * [PRES42].
 */
export const createRoomNews = (deps: {
  signalling: Pick<Signalling, 'on'>;
  /** The room's channel; undefined before the first answer to a join. */
  channelId(): ChannelId | undefined;
  isIn(): boolean;
}) => {
  /** News since a join was sent: before its answer nobody knows which room they are about. */
  let early: (() => void)[] | null = null;
  return {
    isWaiting: () => early !== null,
    /** Call when a join was sent: news wait for its answer. */
    wait() {
      early = [];
    },
    /** Delivers the waiting news. */
    replay() {
      for (const tell of early ?? []) tell();
      early = null;
    },
    /** Drops the waiting news. */
    drop() {
      early = null;
    },
    /** `isOpen`: whether news are delivered now; by default while self is in the room. */
    on<E extends RoomEvent>(event: E, handle: (news: ServerPayload<E>) => void, isOpen = deps.isIn): Stop {
      return deps.signalling.on(event, (news) => {
        const about = 'channelId' in news ? news.channelId : news.id;
        const tell = () => {
          if (isOpen() && about === deps.channelId()) handle(news);
        };
        if (early === null) tell();
        else early.push(tell);
      });
    },
  };
};

/** How long connections and talkers go on without a link to the server [TALK153]. */
export const LINK_KEEP_MS = 30_000;

/** Self and the others in a room. */
export interface RoomPeople {
  self(): Participant | null;
  others(): readonly Participant[];
  ids(): ReadonlySet<ParticipantId>;
  /** The others for the media layer, each with a volume. */
  peers(volumeOf: (userId: UserId) => number): (MediaPeer & { volume: number })[];
  /**
   * Applies the answer to a join. After a server restart, participants that the answer doesn't name may not be back
   * yet. They stay until `keepUntil` (a reading of the clock) while their voice has a link to self; null keeps nobody.
   * If the same process answers, missing participants are gone [TALK155].
   */
  enter(state: Pick<RoomState, 'self' | 'participants' | 'resume' | 'floor'>, keepUntil: number | null): void;
  joined(one: Participant): void;
  left(id: ParticipantId): void;
  changed(one: Participant): void;
  /** Call when a link came up or went down. */
  linksChanged(): void;
  clear(): void;
}

export interface RoomPeopleDeps {
  clock: Clock;
  /** Whether this participant's voice has a link to self. */
  isLinked(id: ParticipantId): boolean;
  /** Called when others came or went. */
  onChange(): void;
}

/** The part of a resume token that tells the server's processes apart [PRES30]. */
const processOf = (token: string | null) => token?.split('.')[1];

export const createRoomPeople = ({ clock, isLinked, onChange }: RoomPeopleDeps): RoomPeople => {
  let self: Participant | null = null;
  let others: readonly Participant[] = [];
  /** Participants who were in the room before self: self makes them an offer [LINK1]. */
  let earlier: ReadonlySet<ParticipantId> = new Set();
  /** Participants who talked when self entered: they are offered a link first [TALK157]. */
  let talking: ReadonlySet<ParticipantId> = new Set();
  /** Participants whom the server hasn't named since self is back. */
  const kept = new Set<ParticipantId>();
  let cancelKeep: Stop = () => undefined;
  /** Identifies the server process that answered the last join. */
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
      others
        .toSorted((one, other) => Number(talking.has(other.id)) - Number(talking.has(one.id)))
        .map(({ id, userId, guest }) => ({
          ...{ id, person: userId, guestsOf: guest?.link ?? null, isEarlier: earlier.has(id) },
          volume: volumeOf(userId),
        })),
    enter(state, keepUntil) {
      const named = new Set(state.participants.map(({ id }) => id));
      const answering = processOf(state.resume);
      const isRestarted = keepUntil !== null && answering !== process;
      process = answering;
      // Participants who were kept before stay kept: another lost link says nothing about them.
      const mayMiss = (id: ParticipantId) => keepUntil !== null && (isRestarted || kept.has(id));
      const missing = others.filter(({ id }) => !named.has(id) && mayMiss(id) && isLinked(id));
      if (isRestarted || keepUntil === null) stopKeeping();
      kept.clear();
      for (const { id } of missing) kept.add(id);
      if (isRestarted) {
        cancelKeep = clock.after(Math.max(keepUntil - clock.now(), 0), () => drop([...kept]));
      }
      self = state.self;
      earlier = named;
      talking = new Set(state.floor.talkers.map(({ id }) => id));
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
