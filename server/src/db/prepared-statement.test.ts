import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeError } from '#src/logs/log.ts';
import { openStrictDatabase } from '#test/test-database.ts';
import type { Database, Sql } from './connect.ts';
import { prepared, preparedBuilt, runPrepared } from './prepared-statement.ts';
import { users } from './schema/users.ts';

/** One connection, so that a query shows which plans it keeps. */
let database: Database;
beforeAll(async () => {
  database = await openStrictDatabase({ max: 1 });
});
afterAll(() => database.close());

const keptTexts = async (like: string) => {
  const { rows } = await database.db.execute<{ statement: string; plans: number }>(
    sql`select statement, (generic_plans + custom_plans)::int as plans from pg_prepared_statements
      where statement like ${`%${like}%`} and statement not like '%pg_prepared%' order by statement`,
  );
  return rows;
};

test('a statement is parsed once on a connection, whatever its values', async () => {
  const add = (a: number, b: number) =>
    runPrepared<{ sum: number }>(database.db, sql`select ${a}::int + ${b}::int as sum /* once */`);
  expect((await add(1, 2)).rows).toEqual([{ sum: 3 }]);
  expect((await add(40, 2)).rows).toEqual([{ sum: 42 }]);
  expect(await keptTexts('/* once */')).toEqual([
    { statement: 'select $1::int + $2::int as sum /* once */', plans: 2 },
  ]);
});

test('statements of different texts are kept apart', async () => {
  for (const name of ['a', 'b']) {
    const { rows } = await runPrepared(database.db, sql`select ${1}::int as ${sql.identifier(name)} /* apart */`);
    expect(rows).toEqual([{ [name]: 1 }]);
  }
  expect(await keptTexts('/* apart */')).toHaveLength(2);
});

test('a statement with placeholders is put together once, and takes new values each time', async () => {
  const build = vi.fn(() => sql`select ${sql.placeholder('word')}::text || ${'!'}::text as said /* built */`);
  const say = prepared<{ said: string }>(build);
  expect((await say(database.db, { word: 'oui' })).rows).toEqual([{ said: 'oui!' }]);
  expect((await say(database.db, { word: 'non' })).rows).toEqual([{ said: 'non!' }]);
  expect(build).toHaveBeenCalledOnce();
  expect(await keptTexts('/* built */')).toMatchObject([{ plans: 2 }]);
});

test('within a transaction it is of that transaction, and goes with it', async () => {
  const count = prepared<{ n: number }>(() => sql`select count(*)::int as n from material_types /* within */`);
  await database.db
    .transaction(async (tx) => {
      await tx.execute(sql`insert into material_types values (gen_random_uuid(), 'Radio')`);
      expect((await count(tx, {})).rows).toEqual([{ n: 1 }]);
      throw new Error('undone');
    })
    .catch((error: Error) => expect(error.message).toBe('undone'));
  expect((await count(database.db, {})).rows).toEqual([{ n: 0 }]);
});

test('a built statement is planned once on a connection, also in transactions, and reads its rows as it was built', async () => {
  const build = vi.fn((of: Sql) =>
    of
      .select({ id: users.id, at: users.createdAt, marked: sql<string>`'/* select */'` })
      .from(users)
      .where(eq(users.identifier, sql.placeholder('identifier'))),
  );
  const find = preparedBuilt('users_of_test', build);
  const { db } = database;
  await db.execute(
    sql`insert into users (id, identifier, first_name, last_name, password_hash, role)
      values (gen_random_uuid(), 'ana@example.org', 'Ana', 'Martin', '-', 'member')`,
  );
  expect(await find(db, { identifier: 'ana@example.org' })).toMatchObject([{ at: expect.any(Date) }]);
  expect(await find(db, { identifier: 'bo@example.org' })).toEqual([]);
  expect(build).toHaveBeenCalledOnce();
  await db.transaction(async (tx) => expect(await find(tx, { identifier: 'ana@example.org' })).toHaveLength(1));
  expect(await keptTexts('/* select */')).toMatchObject([{ plans: 3 }]);
});

test('a statement that fails can be run again', async () => {
  const divide = (by: number) => runPrepared<{ n: number }>(database.db, sql`select 6 / ${by}::int as n /* fails */`);
  await expect(divide(0)).rejects.toMatchObject({ cause: { code: '22012' } });
  expect((await divide(3)).rows).toEqual([{ n: 2 }]);
});

test('a failure is an error as Drizzle’s others are: the log knows by its fields what to leave out', async () => {
  const error = await runPrepared(database.db, sql`select ${'geheim'}::int`).catch((failure: unknown) => failure);
  expect(describeError(error)).toMatchObject({ message: 'Failed query: select $1::int', cause: { code: '22P02' } });
  expect(JSON.stringify(describeError(error))).not.toContain('geheim');
});
