import { asc, eq, sql as expression, getTableColumns, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Sql, Tx } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { calls } from '#src/db/schema/calls.ts';
import { users } from '#src/db/schema/users.ts';

/** The hash of a user's password, which nobody changes until the transaction ends; null when there is no such user. */
export const lockPasswordForShare = async (sql: Sql, userId: string): Promise<string | null> => {
  const [row] = await sql.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId)).for('share');
  return row?.hash ?? null;
};

/**
 * Locks the rows of these users until the transaction ends. `update`: the caller deletes them. `key share`: nobody else may
 * delete them. `no key update`: neither may anybody else take this lock. Rows are locked in the order of their ids,
 * otherwise two transactions could wait for each other.
 * @returns the ids of those who exist
 */
export const lockUsers = async (
  tx: Tx,
  ids: readonly string[],
  strength: 'update' | 'no key update' | 'key share',
): Promise<string[]> => {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(isAnyOf(users.id, ids))
    .orderBy(asc(users.id))
    .for(strength);
  return rows.map(({ id }) => id);
};

/** The id in this column if the user exists, else null: rows of history outlive their user. */
const existingUserId = (column: AnyPgColumn): SQL<string | null> =>
  expression<string | null>`(select ${users.id} from ${users} where ${users.id} = ${column})`;

/** The columns of a call. Ids of deleted users are null. */
export const callColumns = {
  ...getTableColumns(calls),
  callerId: existingUserId(calls.callerId),
  calleeId: existingUserId(calls.calleeId),
};
