import type { LoggedType } from '@pressel/contract/activity-types';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Sql } from '#src/db/connect.ts';
import { listLog, readLog } from '#src/features/activities/log.repository.ts';
import { findNames } from '#src/features/activities/log-names.ts';
import {
  countMissedTalks,
  listTalks,
  listTopChannels,
  readTrend,
} from '#src/features/dashboard/dashboard.repository.ts';
import { openTestDatabase } from '#test/test-database.ts';

const USER = '01900000-0000-7000-8000-000000000007';
let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
  // Counted below by hand, not by the trigger: a million of one statement are quicker so.
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`set local statement_timeout = 0`);
    // Made anew below: sorting a million keys once is quicker than placing each.
    const { rows: indexes } = await tx.execute<{ name: string; definition: string }>(sql`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'activities' and indexname <> 'activities_pkey'`);
    for (const { name } of indexes) await tx.execute(sql.raw(`drop index ${name}`));
    await tx.execute(sql`insert into users (id, identifier, first_name, last_name, password_hash, role, created_at)
      select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n || '@example.org', 'A' || n, 'B', '-', 'member',
        now() - n * interval '1 hour' from generate_series(1, 10000) n`);
    await tx.execute(sql`insert into activities (id, type, user_id, user_first_name, user_display_name, channel_id, channel_name, created_at)
      select gen_random_uuid(), (array['channel_talk','login','message_send','channel_join'])[1 + n % 4],
        ('01900000-0000-7000-8000-' || lpad(to_hex(1 + n % 10000), 12, '0'))::uuid, 'A', 'A',
        ('01900000-0000-7000-9000-' || lpad(to_hex(n % 1000), 12, '0'))::uuid, 'Canal', now() - n * interval '30 seconds'
      from generate_series(1, 1000000) n`);
    for (const { definition } of indexes) await tx.execute(sql.raw(definition));
    await tx.execute(sql`insert into activity_counts
      select 'all', '', span, date_trunc(span, created_at, 'UTC'), count(*), 0
      from activities, unnest(array['day', 'hour']) span group by 3, 4`);
    await tx.execute(sql`insert into activity_names (kind, id, name) select 'user', id, first_name from users`);
  });
  await database.db.execute(sql`analyze`);
}, 240_000);
afterAll(() => database.close());

/** The plans of what a function asks. */
async function plansOf(ask: (db: Sql) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const spy = {
    execute: async (query: SQL) => {
      const { rows } = await database.db.execute<{ 'QUERY PLAN': string }>(sql`explain ${query}`);
      plans.push(...rows.map((row) => row['QUERY PLAN']));
      return database.db.execute(query);
    },
  };
  await ask(spy as unknown as Sql);
  return plans.join('\n');
}

const page = { scope: 'all', start: 0, limit: 21 } as const;
const today = { now: new Date(), timeZone: 'Europe/Paris' };
test.each<[string, (db: Sql) => Promise<unknown>]>([
  ['the first page', (db) => readLog(db, page)],
  ['page 40,000', (db) => readLog(db, { ...page, start: 840_000 })],
  ['of the specification', (db) => readLog(db, { ...page, scope: 'spec', start: 840_000 })],
  ['a type', (db) => readLog(db, { ...page, types: ['login'] as LoggedType[] })],
  ['types', (db) => readLog(db, { ...page, types: ['login', 'logout'] as LoggedType[] })],
  ['for auditors', (db) => readLog(db, { ...page, scope: 'audit' })],
  ['a user', (db) => readLog(db, { ...page, userId: USER })],
  ['a target', (db) => readLog(db, { ...page, targetId: USER })],
  ['a text', async (db) => readLog(db, { ...page, named: await findNames(database.db, 'a77') })],
  ['the newest', (db) => listLog(db, { scope: 'spec', limit: 8 })],
  ['the trend', (db) => readTrend(db, 'users', today, 10)],
  ['talks today', (db) => listTalks(db, today, null)],
  ['the channels with most members', (db) => listTopChannels(db, 5)],
  ['missed talks', (db) => countMissedTalks(db, USER, new Date(Date.now() - 86_400_000))],
])('[LOG21] %s: nothing reads a million entries one by one', async (_name, ask) => {
  expect(await plansOf(ask)).not.toMatch(/Seq Scan on activities\b/u);
});
