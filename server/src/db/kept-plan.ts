import { createHash } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql } from './connect.ts';

const dialect = new PgDialect();

/**
 * Runs a statement that each connection parses and plans once and keeps, which for large ones takes longer than to run
 * them. Only for statements of few texts, whose plan is the same for all values: connections forget none of them.
 */
export const runKept = <Row extends Record<string, unknown>>(db: Sql, statement: SQL): Promise<{ rows: Row[] }> => {
  const query = dialect.sqlToQuery(statement);
  const name = createHash('sha1').update(query.sql).digest('base64url');
  return db._.session.prepareQuery(query, undefined, name, false).execute() as Promise<{ rows: Row[] }>;
};
