import type { ErrorCode } from '@pressel/contract/errors';
import type { ChannelId } from '@pressel/contract/ids';
import type { Ack, EventInput, ServerPayload } from '@pressel/contract/realtime';
import type { Clock, Stop } from './platform.ts';
import type { RoomStatus, Signalling } from './types.ts';

/** Delay before retrying a join that failed for a temporary reason; doubled each time, and a third more or less. */
export const REJOIN_FIRST_MS = 1_000;
const REJOIN_MAX_MS = 10_000;
/** Time after which a beat is sent beside a join that has no answer. */
export const JOIN_DOUBT_MS = 1_000;
/** The longest that this beat may go without an answer. */
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

/** What such a refusal says to somebody who was in the room before. */
const GONE: Partial<Record<ErrorCode, 'removed' | 'deleted'>> = {
  not_a_member: 'removed',
  not_found: 'deleted',
};

/** The end of the room by a refused join; null: it is tried again. */
export const finalAfter = (
  code: ErrorCode,
  wasIn: boolean,
): Extract<RoomStatus, { state: 'closed' | 'refused' }> | null => {
  const gone = wasIn ? GONE[code] : undefined;
  // Who was in it learns what became of it, also when that happened while their link was down.
  if (gone !== undefined) return { state: 'closed', reason: gone };
  return FINAL.has(code) ? { state: 'refused', code } : null;
};

/** ms before the next join after so many that failed in a row. */
const rejoinPause = (joinsFailed: number): number =>
  Math.min(REJOIN_FIRST_MS * 2 ** joinsFailed, REJOIN_MAX_MS) * (2 / 3 + (Math.random() * 2) / 3);

/** The joins of one room, one after the other. */
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
          // What the server says doesn't matter, as in `not_in_room`.
          if (answer.ok || answer.code !== 'unavailable' || answer.params.retryAfterSeconds !== undefined) cancel();
        });
      });
    });

  return {
    /**
     * @returns the answer; undefined: it was cancelled meanwhile. Null: there is none, and the connection will be replaced.
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

/** The news of one room. The link carries those of all rooms, and for a moment those of a room that was left [PRES42]. */
export const createRoomNews = (deps: {
  signalling: Pick<Signalling, 'on'>;
  /** The room's; undefined before the first answer to a join. */
  channelId(): ChannelId | undefined;
  isIn(): boolean;
}) => {
  /** What came since a join was sent: before its answer nobody knows what it is about. */
  let early: (() => void)[] | null = null;
  return {
    isWaiting: () => early !== null,
    /** A join was sent: news wait for its answer. */
    wait() {
      early = [];
    },
    /** Tells what waited. */
    replay() {
      for (const tell of early ?? []) tell();
      early = null;
    },
    /** Forgets what waited. */
    drop() {
      early = null;
    },
    /** `isOpen`: whether news are told now; while self is in the room, unless given. */
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
