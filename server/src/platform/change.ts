import type { ActivityType } from '@pressel/contract/activities';
import type { Db, Sql, Tx } from '#src/db/connect.ts';
import { isCollision } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { Session } from '#src/shared/session.ts';
import { lockAccounts, roleInSession } from './change.repository.ts';
import type { FactMap, FactName, Facts } from './facts.ts';
import { createGate } from './gate.ts';

/** Connections that changes may take at once: the pool has more, so that reading stays quick while writers wait. */
const CHANGES_AT_ONCE = 4;
/** Beyond this a change is refused instead of kept waiting: each takes some milliseconds. */
const CHANGES_WAITING_MAX = 1_000;
const RETRY_AFTER_SECONDS = 5;

/** An act for the activity log. Who did it is told by the session. */
export interface RecordedAct {
  type: ActivityType;
  channel?: { id: string; name: string };
}
/** Stores acts in the transaction of what was done. */
export type RecordActs = (
  sql: Sql,
  acts: readonly (RecordedAct & { user: { id: string; firstName: string; displayName: string }; at: Date })[],
) => Promise<void>;

/** A transaction of `change`: what writes accounts, channels and memberships takes no other. */
export type ChangeTx = Tx & { readonly [changing]: true };
declare const changing: unique symbol;

/** What a change may do besides writing. */
export interface Act {
  /** Stores in the activity log that the session's user did this. */
  record(...acts: RecordedAct[]): Promise<void>;
  /** Tells this once everything is stored; not at all when it is not. */
  after<F extends FactName>(fact: F, news: FactMap[F]): void;
}

/**
 * The only transaction that changes accounts, channels or memberships: one at a time, and by somebody who may still do
 * so. What they may do was looked up before they had to wait: of two administrators the one who was demoted first must
 * not do anything more. With `null` nobody is signed in. Work that ran into another transaction is done once more from
 * the beginning, so it may do nothing that lasts but by its `tx` and `act`.
 * @throws AppError unauthenticated, forbidden: the session or the role ended meanwhile; unavailable: too many wait
 */
export type Change = <T>(session: Session | null, work: (tx: ChangeTx, act: Act) => Promise<T>) => Promise<T>;

export interface ChangeDeps {
  db: Db;
  facts: Pick<Facts, 'tell'>;
  record: RecordActs;
  now: () => Date;
}

export function createChange({ db, facts, record, now }: ChangeDeps): Change {
  const gate = createGate(CHANGES_AT_ONCE, CHANGES_WAITING_MAX, RETRY_AFTER_SECONDS);

  const actIn = (tx: Tx, session: Session | null, news: (() => void)[]): Act => ({
    async record(...acts) {
      if (session === null) throw new Error('Nobody is signed in to whom this act could be put down');
      const { userId: id, firstName, displayName } = session;
      const at = now();
      await record(
        tx,
        acts.map((one) => ({ ...one, user: { id, firstName, displayName }, at })),
      );
    },
    after: (fact, told) => void news.push(() => facts.tell(fact, told)),
  });

  return async (session, work) => {
    const attempt = async () => {
      const news: (() => void)[] = [];
      const result = await db.transaction(async (tx) => {
        await lockAccounts(tx);
        if (session !== null) await requireSame(tx, session);
        return work(tx as ChangeTx, actIn(tx, session, news));
      });
      return { result, news };
    };
    const { result, news } = await gate.run(async () => {
      try {
        return await attempt();
      } catch (error) {
        if (!isCollision(error)) throw error;
        return attempt();
      }
    });
    for (const tell of news) tell();
    return result;
  };
}

async function requireSame(sql: Sql, session: Session): Promise<void> {
  const role = await roleInSession(sql, session);
  if (role === null) throw new AppError('unauthenticated');
  if (role !== session.role) throw new AppError('forbidden');
}
