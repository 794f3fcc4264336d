import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { outbox as table } from '#src/db/schema/server.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';
import { createFacts } from './facts.ts';
import { createOutbox } from './outbox.ts';

let database: Database;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await database.close();
});

const idOf = (number: number) => `0190b4d8-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** The facts of one process, and what it heard. */
async function open() {
  const { db, connection } = database;
  const lines: unknown[] = [];
  const missed: number[] = [];
  const heard: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const outbox = createOutbox({ db, connection, origin: uuidV7(), missed: () => void missed.push(heard.length), log });
  const facts = createFacts(db, log, outbox, () => undefined);
  facts.on('sessionEnded', ({ sessionId }) => void heard.push(sessionId));
  facts.on('channelDeleted', ({ channelId }) => void heard.push(channelId));
  await facts.open();
  closers.push(facts.close);
  const tell = (sessionId: string) => facts.within(async (_tx, after) => after('sessionEnded', { sessionId }));
  return { facts, outbox, heard, missed, lines, tell };
}

/** Cuts the connections on which processes wait for notices. */
const cut = () =>
  database.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query ilike '%from outbox%' and query not ilike '%pg_terminate%'`);

test('[PROC3] a fact is told here at once and elsewhere once, after its commit', async () => {
  const [one, two] = [await open(), await open()];
  await one.facts.within(async (_tx, after) => {
    after('sessionEnded', { sessionId: 'first' });
    after('sessionEnded', { sessionId: 'second' });
    expect([one.heard, two.heard]).toEqual([[], []]);
  });
  expect(one.heard).toEqual(['first', 'second']);
  await two.tell('third');
  await waitUntil(() => one.heard.length === 3 && two.heard.length === 3);
  expect([one.heard, two.heard]).toEqual([
    ['first', 'second', 'third'],
    ['first', 'second', 'third'],
  ]);
});

test('[PROC3] a process hears its own facts in their place among those of others', async () => {
  const [one, two] = [await open(), await open()];
  await cut();
  for (const name of ['a', 'b']) await one.tell(name);
  await two.tell('c');
  expect(two.heard).toEqual(['a', 'b', 'c']);
  await waitUntil(() => one.heard.length === 3);
  expect(one.heard).toEqual(['a', 'b', 'c']);
});

test('[PROC96] catching up hears what is committed by then, without a notice, also for calls that come during a look', async () => {
  const one = await open();
  const store = (sessionId: string) =>
    database.db.insert(table).values({ origin: uuidV7(), fact: 'sessionEnded', news: { sessionId } });
  await store('a');
  const first = one.facts.catchUp();
  await store('b');
  await Promise.all([one.facts.catchUp(), one.facts.catchUp()]);
  expect(one.heard).toEqual(['a', 'b']);
  await first;
  await database.db.execute(sql`alter table outbox rename to away`);
  await expect(one.facts.catchUp()).rejects.toThrow();
  await database.db.execute(sql`alter table away rename to outbox`);
  await store('c');
  await one.facts.catchUp();
  expect(one.heard).toEqual(['a', 'b', 'c']);
});

test('[PROC3] what is rolled back is told nobody', async () => {
  const [one, two] = [await open(), await open()];
  const failing = one.facts.within(async (_tx, after) => {
    after('sessionEnded', { sessionId: 'never' });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await one.tell('next');
  await waitUntil(() => two.heard.length > 0);
  expect([one.heard, two.heard]).toEqual([['next'], ['next']]);
});

test('[PROC3] many at once, by several processes, are heard by each in the same order', async () => {
  const all = [await open(), await open(), await open()];
  const listener = await open();
  await Promise.all(
    Array.from({ length: 60 }, (_, number) =>
      (all[number % 3] as (typeof all)[0]).facts.within(async (tx, after) => {
        await tx.execute(sql`select pg_sleep(random() * 0.02)`);
        after('channelDeleted', { channelId: idOf(number) as never });
      }),
    ),
  );
  await waitUntil(() => listener.heard.length === 60);
  const rows = await database.db.select({ news: table.news }).from(table).orderBy(table.id);
  expect(listener.heard).toEqual(rows.map(({ news }) => (news as { channelId: string }).channelId));
  expect(new Set(listener.heard).size).toBe(60);
});

test('[PROC3] a process whose connection is cut hears what it missed when it is back', async () => {
  const [one, two] = [await open(), await open()];
  await one.tell('before');
  await waitUntil(() => two.heard.length === 1);
  await cut();
  for (const name of ['a', 'b', 'c']) await one.tell(name);
  await waitUntil(() => two.heard.length === 4);
  expect([two.heard, two.missed]).toEqual([['before', 'a', 'b', 'c'], []]);
});

test('[PROC3] a database that was put back to an older state is noticed, and its new facts are heard', async () => {
  const [one, two] = [await open(), await open()];
  for (const name of ['a', 'b', 'c']) await one.tell(name);
  await waitUntil(() => two.heard.length === 3);
  await database.db.execute(sql`delete from outbox where id > (select min(id) from outbox)`);
  await database.db.execute(sql`select setval('outbox_id_seq', (select max(id) from outbox))`);
  await cut();
  await waitUntil(() => two.missed.length > 0);
  await one.tell('anew');
  await waitUntil(() => two.heard.includes('anew'));
  expect(two.heard).toEqual(['a', 'b', 'c', 'anew']);
});

test('[PROC3] a fact that this version does not know is logged, and those after it are heard', async () => {
  const [one, two] = [await open(), await open()];
  const strange = [
    { origin: uuidV7(), fact: 'moonRose', news: { full: true } },
    { origin: uuidV7(), fact: 'sessionEnded', news: { sessionId: 7 } },
    { origin: uuidV7(), fact: 'sessionEnded', news: { sessionId: 'new', more: true } },
  ];
  await database.db.insert(table).values(strange);
  await one.tell('known');
  await waitUntil(() => two.heard.length === 2);
  expect(two.heard).toEqual(['new', 'known']);
  expect(two.lines).toEqual(['fact_unknown', 'fact_unknown']);
});

test('[PROC3] facts are kept for an hour', async () => {
  const one = await open();
  await one.tell('old');
  await database.db.execute(sql`update outbox set at = now() - interval '61 minutes'`);
  await one.tell('new');
  await one.outbox.sweep();
  expect(await database.db.select({ news: table.news }).from(table)).toEqual([{ news: { sessionId: 'new' } }]);
});

test('alone nothing is stored', async () => {
  const { db } = database;
  const facts = createFacts(db, pino({ enabled: false }), null, () => undefined);
  await facts.within(async (_tx, after) => after('sessionEnded', { sessionId: 'x' }));
  expect(await db.$count(table)).toBe(0);
});
