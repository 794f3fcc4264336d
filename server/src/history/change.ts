import type { ActivityDetails } from '@pressel/contract/activities';
import type { LoggedType } from '@pressel/contract/activity-types';
import { sql as expression, type SQL } from 'drizzle-orm';
import { ownerOf, type Session } from '#src/accounts/session.ts';
import { roleInSession } from '#src/accounts/sessions.repository.ts';
import type { Sql, Tx } from '#src/db/connect.ts';
import { isCollision } from '#src/db/errors.ts';
import { ACCOUNTS_LOCK } from '#src/db/locks.ts';
import { createGate } from '#src/limits/gate.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import type { After, Facts } from '#src/processes/facts.ts';
import { AppError } from '#src/shared/app-error.ts';

/** The person who did something, as the activity log keeps them for ever. */
export interface Actor {
  readonly id: string;
  readonly firstName: string;
  readonly displayName: string;
  /** The network address that the act came from; null when there is none. */
  readonly address: string | null;
}

/** An entry for the activity log, without its actor. */
export type RecordedAct = {
  [T in LoggedType]: {
    readonly type: T;
    readonly channel?: { readonly id: string; readonly name: string } | undefined;
    /** The user to whom it was done. */
    readonly target?: { readonly id: string; readonly name: string } | undefined;
    readonly details?: ActivityDetails<T> | undefined;
  };
}[LoggedType];

/** `user` is null for the server's own acts, and for those of people without a session, which have an address. */
export type LoggedAct = RecordedAct & {
  readonly at: Date;
  /** Set for an entry that may be stored twice: the second time it is skipped. */
  readonly id?: string;
} & ({ readonly user: Actor } | { readonly user: null; readonly address: string | null });

/** Stores activities, in their order, in the transaction of the logged change. */
export type RecordActs = (sql: Sql, acts: readonly LoggedAct[]) => Promise<void>;

/** The same within a prepared statement, for acts that are too frequent for a statement of their own. */
export interface RecordWithin {
  /**
   * An `insert` for the statement's `with` clause. `from` names a query of that statement whose rows have the channel's id
   * and name; without a row nothing is recorded.
   */
  insert(from: SQL): SQL;
  /** The values of its placeholders. */
  values(act: { type: RecordedAct['type']; user: Actor; at: Date }): Record<string, unknown>;
  /** An `insert` for any acts. It may be the statement itself, or be in its `with` clause. */
  readonly insertAll: SQL;
  /** The same for those acts for which a condition is true. It may name the columns of `entry`, such as `entry.user_id`. */
  insertSome(condition: SQL): SQL;
  /** The value of the placeholder of both. */
  valuesOfAll(acts: readonly LoggedAct[]): { acts: string };
}

export const actorOf = ({
  userId,
  firstName,
  displayName,
  address,
}: Pick<Session, 'userId' | 'firstName' | 'displayName' | 'address'>): Actor => ({
  id: userId,
  firstName,
  displayName,
  address,
});

/** PostgreSQL ends a change that sends nothing for this long, ms. Others wait longer for their turn than that (PROC94). */
const SILENCE_MAX_MS = 5_000;

/**
 * Serialises changes of accounts, channels and memberships until the transaction ends. Checks over all rows (the first
 * account, the last administrator) need it, and it rules out deadlocks between changes of several rows.
 */
export const lockAccounts = async (sql: Sql): Promise<void> => {
  await sql.execute(expression`
    select set_config('idle_in_transaction_session_timeout', ${String(SILENCE_MAX_MS)}, true),
      pg_advisory_xact_lock(${ACCOUNTS_LOCK})`);
};

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

/** The means that a change has besides writing to the database. */
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
