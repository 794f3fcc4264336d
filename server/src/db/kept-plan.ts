import { createHash } from 'node:crypto';
import type { Query, SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql } from './connect.ts';

const dialect = new PgDialect();

/**
 * Runs a statement that each connection parses and plans once and keeps, which for large ones takes longer than to run
 * them. Only for statements of few texts, whose plan is the same for all values: connections forget none of them.
 */
export const runKept = <Row extends Record<string, unknown>>(db: Sql, statement: SQL): Promise<{ rows: Row[] }> =>
  run(db, named(statement), {});

/** A kept statement, with the values of its placeholders by their names. */
export type Kept<Row extends Record<string, unknown>> = (
  db: Sql,
  values: Record<string, unknown>,
) => Promise<{ rows: Row[] }>;

/**
 * The same for a statement whose text is put together once too: of a large one that takes as long as a sixth of its run.
 * Its values come by `sql.placeholder`.
 */
export function kept<Row extends Record<string, unknown>>(build: (db: Sql) => SQL): Kept<Row> {
  let query: Named | undefined;
  return (db, values) => {
    query ??= named(build(db));
    return run(db, query, values);
  };
}

interface Named {
  query: Query;
  name: string;
}

function named(statement: SQL): Named {
  const query = dialect.sqlToQuery(statement);
  return { query, name: createHash('sha1').update(query.sql).digest('base64url') };
}

const run = <Row>(db: Sql, { query, name }: Named, values: Record<string, unknown>): Promise<{ rows: Row[] }> =>
  db._.session.prepareQuery(query, undefined, name, false).execute(values) as Promise<{ rows: Row[] }>;
