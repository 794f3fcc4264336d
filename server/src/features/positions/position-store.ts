import { setTimeout as sleep } from 'node:timers/promises';
import { POSITION_ENTRY_MS } from '@pressel/contract/limits';
import type { Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import { actorOf, type LoggedAct, type RecordWithin } from '#src/history/change.ts';
import { AppError } from '#src/shared/app-error.ts';
import { createPositionStatements, type Position, type StoredPositions } from './positions.repository.ts';

/**
 * Positions are gathered this long, ms: they were shown already, and writing each would hold up showing the next. Each of several processes
 * gathers its own, so in a shorter time most would be alone.
 */
const GATHER_MS = 100;
/** If so many wait, they are written at once. */
const ENOUGH = 25;
/** Maximum of positions that one statement stores. */
const BATCH_MAX = 500;
/** Maximum of positions that wait; more are refused. With the database at its usual speed a few dozen wait. */
const WAITING_MAX = 10_000;
const RETRY_AFTER_SECONDS = 5;

/** The user as the activity log names them. */
export type Reporter = Pick<Session, 'firstName' | 'displayName' | 'address'>;

/**
 * Stores positions. Positions that come within a moment, or while others are being written, are written together: hundreds a
 * second cost a few statements a second. A position and its entry in the activity log are one statement.
 */
export interface PositionStore {
  /** @returns whether it was newer than the last one known. @throws AppError unavailable when too many wait */
  put(position: Position, reporter: Reporter): Promise<boolean>;
  /** Waits for what is being written. From then on nothing is gathered any more. */
  settled(): Promise<void>;
}

interface Waiting {
  position: Position;
  reporter: Reporter;
  resolve(isStored: boolean): void;
  reject(reason: unknown): void;
}

export function createPositionStore({
  db,
  record,
  now,
  pause = waitInTime,
}: {
  db: Db;
  record: Pick<RecordWithin, 'insertSome' | 'valuesOfAll'>;
  now: () => Date;
  /** Waits so many ms, or until the signal. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}): PositionStore {
  const statements = createPositionStatements(record);
  let waiting: Waiting[] = [];
  /** When users got their last entry in the log, ms, about the oldest first. */
  const logged = new Map<string, number>();
  let gathering = new AbortController();
  let writing: Promise<void> | null = null;
  let isEnding = false;

  /** With a clock that was set back, nobody knows who is due. */
  const isWithinEntry = (loggedAt: number, at: number): boolean => at >= loggedAt && at - loggedAt < POSITION_ENTRY_MS;
  const isOld = ({ recordedAt }: Position, at: Date): boolean =>
    at.getTime() - recordedAt.getTime() >= POSITION_ENTRY_MS;
  const mayBeDue = ({ position: { userId } }: Waiting, at: number): boolean => {
    const loggedAt = logged.get(userId);
    return loggedAt === undefined || !isWithinEntry(loggedAt, at);
  };
  const learn = (stored: StoredPositions, at: number): void => {
    for (const [userId, loggedAt] of stored) {
      if (logged.get(userId) === loggedAt) continue;
      logged.delete(userId);
      logged.set(userId, loggedAt);
    }
    for (const [userId, loggedAt] of logged) {
      if (isWithinEntry(loggedAt, at)) return;
      logged.delete(userId);
    }
  };

  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      const at = now();
      const isAnyDue = batch.some((one) => mayBeDue(one, at.getTime()));
      const positions = batch.map(({ position }) => position);
      const entries = isAnyDue ? batch.map((one) => entryOf(one, at)) : [];
      const stored = await statements.store(db, positions, entries, at);
      learn(stored, at.getTime());
      // A sweep may delete what is kept of an old position, and with it when the last entry was.
      for (const { position } of batch) if (isOld(position, at)) logged.delete(position.userId);
      for (const { position, resolve } of batch) resolve(stored.has(position.userId));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      gathering = new AbortController();
      if (waiting.length < ENOUGH && !isEnding) await pause(GATHER_MS, gathering.signal);
      const { batch, rest } = nextBatch(waiting);
      waiting = rest;
      await write(batch);
    }
    writing = null;
  }

  return {
    put(position, reporter) {
      if (waiting.length >= WAITING_MAX) {
        return Promise.reject(new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      }
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      waiting.push({ position, reporter, resolve, reject });
      if (waiting.length >= ENOUGH) gathering.abort();
      writing ??= writeAll();
      return promise;
    },
    settled: async () => {
      isEnding = true;
      gathering.abort();
      await writing;
    },
  };
}

const waitInTime = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

const entryOf = ({ position: { userId }, reporter }: Waiting, at: Date): LoggedAct => ({
  type: 'position_update',
  user: actorOf({ ...reporter, userId }),
  at,
});

/** The first positions that wait, one of each user: one statement cannot write two rows of one user. */
function nextBatch(waiting: readonly Waiting[]): { batch: Waiting[]; rest: Waiting[] } {
  const batch = new Map<string, Waiting>();
  const rest: Waiting[] = [];
  for (const one of waiting) {
    const { userId } = one.position;
    if (batch.size >= BATCH_MAX || batch.has(userId)) rest.push(one);
    else batch.set(userId, one);
  }
  return { batch: [...batch.values()], rest };
}
