import { ownerOf, type Session } from '#src/accounts/session.ts';
import { roleInSession } from '#src/accounts/sessions.repository.ts';
import type { Sql, Tx } from '#src/db/connect.ts';
import { isCollision } from '#src/db/errors.ts';
import { createGate } from '#src/limits/gate.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import type { After, Facts } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type Actor, actorOf, type RecordActs, type RecordedAct } from './acts.ts';
import { lockAccounts } from './change.repository.ts';

/**
 * Concurrent changes of each process. The lock lets one work, and the next one waits for it in the database; more would only hold
 * connections.
 */
const CHANGES_AT_ONCE = 2;
/** Maximum of waiting changes; more are refused. Each takes some milliseconds. */
const CHANGES_WAITING_MAX = 1_000;
const RETRY_AFTER_SECONDS = 5;
/** All callers without a session share one turn. */
const NOBODY = 'nobody';

/** A transaction of `change`. Functions that write accounts, channels or memberships require this type. */
export type ChangeTx = Tx & { readonly [changing]: true };
declare const changing: unique symbol;

/** What a change may do besides writing to the database. */
export interface Act {
  /** Stores activities of the session's user. */
  record(...acts: RecordedAct[]): Promise<void>;
  /** Stores activities of a user without a session: one who is registering. */
  recordOf(user: Actor, ...acts: RecordedAct[]): Promise<void>;
  /** Announces a fact after the commit; nothing is announced on a rollback. */
  readonly after: After;
}

/**
 * The only way to change accounts, channels or memberships: one transaction at a time, under a lock. After taking the
 * lock it reads session and role again, because both may have ended while the change waited: a demoted administrator
 * must not change anything more. `session` is null for calls without one, such as a registration. After a deadlock or
 * serialisation failure `work` is run a second time, so its only side effects may be those of `tx` and `act`.
 * @throws AppError unauthenticated, forbidden: session or role ended meanwhile; unavailable: too many changes wait
 */
export type Change = <T>(session: Session | null, work: (tx: ChangeTx, act: Act) => Promise<T>) => Promise<T>;

export interface ChangeDeps {
  facts: Pick<Facts, 'within'>;
  record: RecordActs;
  metrics: Pick<Metrics, 'queue'>;
  now: () => Date;
}

export function createChange({ facts, record, metrics, now }: ChangeDeps): Change {
  const gate = createGate({
    atOnce: CHANGES_AT_ONCE,
    waiting: CHANGES_WAITING_MAX,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  metrics.queue('changes', gate.waiting);

  const actIn = (tx: Tx, session: Session | null, after: After): Act => ({
    async record(...acts) {
      if (session === null) throw new Error('Nobody is signed in to whom this act could be put down');
      await this.recordOf(actorOf(session), ...acts);
    },
    async recordOf(user, ...acts) {
      const at = now();
      await record(
        tx,
        acts.map((one) => ({ ...one, user, at })),
      );
    },
    after,
  });

  return async (session, work) => {
    const attempt = () =>
      facts.within(async (tx, after) => {
        await lockAccounts(tx);
        if (session !== null) await requireUnchangedSession(tx, session);
        return work(tx as ChangeTx, actIn(tx, session, after));
      });
    return gate.run(session === null ? NOBODY : ownerOf(session), async () => {
      try {
        return await attempt();
      } catch (error) {
        if (!isCollision(error)) throw error;
        return attempt();
      }
    });
  };
}

async function requireUnchangedSession(sql: Sql, session: Session): Promise<void> {
  const role = await roleInSession(sql, session);
  if (role === null) throw new AppError('unauthenticated');
  if (role !== session.role) throw new AppError('forbidden');
}
