import { eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { arrayOf } from '#src/db/list-sql.ts';
import { messageFiles } from '#src/db/schema/messages.ts';

export const findFile = async (sql: Sql, storedName: string): Promise<{ fileName: string } | null> => {
  const [row] = await sql
    .select({ fileName: messageFiles.fileName })
    .from(messageFiles)
    .where(eq(messageFiles.storedName, storedName));
  return row ?? null;
};

/** The names among these that a message has. */
export const knownNames = async (sql: Sql, storedNames: readonly string[]): Promise<Set<string>> => {
  const rows = await sql
    .select({ storedName: messageFiles.storedName })
    .from(messageFiles)
    .where(expression`${messageFiles.storedName} = any(${arrayOf('text', storedNames)})`);
  return new Set(rows.map(({ storedName }) => storedName));
};
