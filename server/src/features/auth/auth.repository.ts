import { eq } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { users } from '#src/db/schema/users.ts';

/** The hash of a user's password, which nobody changes until the transaction ends; null when there is no such user. */
export const lockPasswordForShare = async (sql: Sql, userId: string): Promise<string | null> => {
  const [row] = await sql.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId)).for('share');
  return row?.hash ?? null;
};
