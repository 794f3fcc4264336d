import type { ActivityDetails } from '@pressel/contract/activities';
import type { LoggedType } from '@pressel/contract/activity-types';
import type { SQL } from 'drizzle-orm';
import type { Session } from '#src/accounts/session.ts';
import type { Sql } from '#src/db/connect.ts';

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

/** The same for one act within a prepared statement, for acts that are too frequent for a statement of their own. */
export interface RecordWithin {
  /**
   * An `insert` for the statement's `with` clause. `from` names a query of that statement whose rows have the channel's id
   * and name; without a row nothing is recorded.
   */
  insert(from: SQL): SQL;
  /** The values of its placeholders. */
  values(act: { type: RecordedAct['type']; user: Actor; at: Date }): Record<string, unknown>;
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
