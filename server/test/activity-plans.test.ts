import type { LoggedType } from '@pressel/contract/activity-types';
import type { ChannelId } from '@pressel/contract/ids';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Sql } from '#src/db/connect.ts';
import { users } from '#src/db/schema/users.ts';
import { listLog, readLog } from '#src/features/activities/log.repository.ts';
import { findNames } from '#src/features/activities/log-names.ts';
import {
  countMissedTalks,
  listTalks,
  listTopChannels,
  readTrend,
} from '#src/features/dashboard/dashboard.repository.ts';
import { listMemberPositions } from '#src/features/positions/positions.repository.ts';
import { latestActivity, listLatestOfChannels, listLatestOfUsers } from '#src/history/latest.repository.ts';
import { openTestDatabase } from '#test/test-database.ts';

const userOf = (n: number) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const channelOf = (n: number) => `01900000-0000-7000-9000-${n.toString(16).padStart(12, '0')}`;
const USER = userOf(7);
const CHANNEL = channelOf(7);
/** Its members did fifty thousand things elsewhere, and nothing here. */
const BUSY_CHANNEL = channelOf(999);
/** The indexes of the log, by what they find. */
const BY_TIME = 'activities_created_idx';
const BY_ID = 'activities_pkey';
const BY_TYPE = 'activities_type_idx';
/** Finds entries by the index's keys alone, and the page's rows by their ids. */
const BY_KEYS = [BY_ID, BY_TYPE];
const BY_USER = 'activities_user_idx';
const BY_CHANNEL = 'activities_channel_idx';
const BY_TARGET = 'activities_target_idx';
const OF_AUDIT = 'activities_audit_idx';
const OF_USER_SPEC = 'activities_user_spec_idx';
const OF_USER_CHANNEL = 'activities_user_channel_idx';
let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
  // Counted below by hand, not by the trigger: that is quicker for a million rows of one statement.
  // The pool ends connections that stay silent for as long as a statement may take.
  const client = new pg.Client(database.connection);
  await client.connect();
  await drizzle(client).transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`set local statement_timeout = 0`);
    // Made again below: sorting a million keys once is quicker than placing each.
    const { rows: indexes } = await tx.execute<{ name: string; definition: string }>(sql`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'activities' and indexname <> ${BY_ID}`);
    for (const { name } of indexes) await tx.execute(sql.raw(`drop index ${name}`));
    await tx.execute(sql.raw(`alter table activities drop constraint ${BY_ID}`));
    await tx.execute(sql`insert into users (id, identifier, first_name, last_name, password_hash, role, created_at)
      select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n || '@example.org', 'A' || n, 'B', '-', 'member',
        now() - n * interval '1 hour' from generate_series(1, 10000) n`);
    await tx.execute(sql`insert into channels (id, name, rtc_session, created_at)
      select ('01900000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'C' || n, 'C' || n,
        now() - n * interval '1 hour' from generate_series(0, 999) n`);
    // One in ten is for auditors.
    await tx.execute(sql`insert into activities (id, type, is_audit, user_id, user_first_name, user_display_name, target_id,
        target_name, channel_id, channel_name, created_at)
      select gen_random_uuid(), case when n % 10 = 0 then 'role_change'
          else (array['channel_talk','login','message_send','channel_join'])[1 + n % 4] end, n % 10 = 0,
        ('01900000-0000-7000-8000-' || lpad(to_hex(1 + (n * 7919::bigint) % 10000), 12, '0'))::uuid, 'A', 'A',
        case when n % 10 = 0 then ('01900000-0000-7000-8000-' || lpad(to_hex(1 + n % 997), 12, '0'))::uuid end,
        case when n % 10 = 0 then 'B' end, ('01900000-0000-7000-9000-' || lpad(to_hex(n % 1000), 12, '0'))::uuid, 'Canal', now() - n * interval '30 seconds'
      from generate_series(1, 1000000) n`);
    await tx.execute(sql`insert into channel_members (channel_id, user_id)
      select ${BUSY_CHANNEL}::uuid, id from users order by id limit 20`);
    await tx.execute(sql`insert into last_positions (user_id, recorded_at, lat, lng, logged_at)
      select user_id, now(), 48, 2, now() from channel_members`);
    await tx.execute(sql`update activities set user_id = (select user_id from channel_members order by 1 limit 1)
      where id in (select id from activities where channel_id <> ${BUSY_CHANNEL}::uuid and not is_audit limit 50000)`);
    await tx.execute(sql`delete from activities where channel_id = ${BUSY_CHANNEL}::uuid
      and user_id in (select user_id from channel_members)`);
    await tx.execute(sql.raw(`alter table activities add constraint ${BY_ID} primary key (id)`));
    for (const { definition } of indexes) await tx.execute(sql.raw(definition));
    // Days and months are added up from the hours.
    await tx.execute(sql`insert into activity_counts
      with hours as materialized (
        select type, is_audit, date_trunc('hour', created_at, 'UTC') as hour, count(*) as entries from activities group by 1, 2, 3)
      select 'all', '', span, date_trunc(span, hour, 'UTC'), coalesce(sum(entries) filter (where not is_audit), 0),
        coalesce(sum(entries) filter (where is_audit), 0)
      from hours, unnest(array['month', 'day', 'hour']) span group by 3, 4
      union all select 'type', type, span, date_trunc(span, hour, 'UTC'), sum(entries), 0
      from hours, unnest(array['month', 'day', 'hour']) span group by 2, 3, 4`);
    await tx.execute(
      sql`insert into activity_names (kind, id, name) select 'user', id, first_name || E'\\nA' from users`,
    );
  });
  await client.end();
  // Lets indexes alone answer, as they can once the server has maintained a table that grew.
  await database.db.execute(sql`vacuum analyze`);
}, 240_000);
afterAll(() => database.close());

/** The plans of a function's statements: the generic plan of kept ones, else the plan for the given values. */
async function plansOf(ask: (db: Sql) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const keep = ({ rows }: { rows: Record<string, unknown>[] }) =>
    plans.push(...rows.map((row) => String(row['QUERY PLAN'])));
  const { $client: pool } = database.db as unknown as { $client: pg.Pool };
  const explaining = {
    query: async (query: { text: string; name?: string }, values: unknown[]) => {
      // A prepared statement has one plan for all values.
      if (query.name === undefined) keep(await pool.query(`explain ${query.text}`, values));
      else keep(await pool.query(`explain (generic_plan) ${query.text}`));
      return pool.query({ ...query, name: undefined }, values);
    },
  };
  await ask(drizzle({ client: explaining as unknown as pg.Client }) as unknown as Sql);
  return plans.join('\n');
}

/** The indexes or scans by which a plan reads the log, and users and channels by creation, without repetitions. */
function waysIn(plan: string): string[] {
  const found = [
    ...plan.matchAll(
      /(?:using|Bitmap Index Scan on) (activities_\w+|(?:users|channels)_created_idx)|(Seq Scan on activities)\b/gu,
    ),
  ];
  return [...new Set(found.map(([, index, scan]) => index ?? scan ?? ''))].toSorted();
}

const page = { scope: 'all', start: 0, limit: 21 } as const;
const deep = { ...page, start: 840_000 };
const types = (...wanted: LoggedType[]) => wanted;
const today = { now: new Date(), timeZone: 'Europe/Paris' };
const to = new Date(Date.now() - 100 * 86_400_000);
const cursor = { side: 'above', at: to, id: USER } as const;
/** The same query as for the list of users. */
function readLatest(db: Sql): Promise<unknown> {
  const latest = latestActivity(db);
  return db
    .select({ at: latest.createdAt, type: latest.type, channel: latest.channelName })
    .from(users)
    .leftJoinLateral(latest, sql`true`)
    .orderBy(sql`1 desc nulls last`)
    .limit(25);
}
/** The same query as for a member's map. */
const mapOf = (channelId: string): SQL =>
  listMemberPositions(database.db, {
    channelId: channelId as ChannelId,
    isAdmin: false,
    after: null,
    limit: 500,
  }).getSQL();

test.each<[string, (db: Sql) => Promise<unknown>, string[]]>([
  ['the first page', (db) => readLog(db, page), [BY_TIME]],
  ['page 40,000', (db) => readLog(db, deep), [BY_TIME]],
  ['page 40,000 of the specification', (db) => readLog(db, { ...deep, scope: 'spec' }), [BY_TIME]],
  ['for auditors', (db) => readLog(db, { ...page, scope: 'audit' }), [OF_AUDIT]],
  ['until a moment', (db) => readLog(db, { ...page, to }), [BY_TIME]],
  ['from a moment, deep', (db) => readLog(db, { ...page, from: to, start: 100_000 }), [BY_TIME]],
  ['below a cursor', (db) => readLog(db, { ...page, cursor }), [BY_TIME]],
  ['a type', (db) => readLog(db, { ...page, types: types('login') }), BY_KEYS],
  ['a type, deep', (db) => readLog(db, { ...page, types: types('login'), start: 100_000 }), BY_KEYS],
  ['types', (db) => readLog(db, { ...page, types: types('login', 'logout') }), BY_KEYS],
  ['a user', (db) => readLog(db, { ...page, userId: USER }), [BY_USER]],
  ['a user, deep', (db) => readLog(db, { ...page, userId: USER, start: 50 }), [BY_USER]],
  ['a channel', (db) => readLog(db, { ...page, channelId: CHANNEL }), [BY_CHANNEL]],
  ['a target', (db) => readLog(db, { ...page, targetId: USER }), [BY_TARGET]],
  ['a user and a type', (db) => readLog(db, { ...page, userId: USER, types: types('login') }), [BY_USER]],
  [
    'a text of few',
    async (db) => readLog(db, { ...page, named: await findNames(database.db, 'a77') }),
    [BY_ID, BY_USER],
  ],
  ['the newest', (db) => listLog(db, { scope: 'spec', limit: 8 }), [BY_TIME]],
  [
    'what happened last in channels',
    (db) => listLatestOfChannels(db, [CHANNEL, ...Array.from({ length: 24 }, (_, n) => channelOf(n + 100))]),
    [BY_CHANNEL, BY_ID],
  ],
  [
    'what members did last',
    (db) => listLatestOfUsers(db, [USER, ...Array.from({ length: 99 }, (_, n) => userOf(n + 100))]),
    [OF_USER_SPEC],
  ],
  ['a part of an export', (db) => listLog(db, { scope: 'all', limit: 1_000, cursor }), [BY_TIME]],
  ['the trend of users', (db) => readTrend(db, 'users', today, 10), ['users_created_idx']],
  ['the trend of channels', (db) => readTrend(db, 'channels', today, 10), ['channels_created_idx']],
  ['talks today', (db) => listTalks(db, today, null), [BY_TYPE]],
  ['the channels with most members', (db) => listTopChannels(db, 5), [BY_CHANNEL]],
  ['missed talks', (db) => countMissedTalks(db, USER, new Date(Date.now() - 86_400_000)), [BY_CHANNEL, BY_USER]],
  ['the last act of each user', (db) => readLatest(db), [OF_USER_SPEC]],
  ['the last act of each member in a channel', (db) => db.execute(mapOf(CHANNEL)), [OF_USER_CHANNEL]],
])('[LOG21] %s: of a million entries only those are read that an index leads to', async (_name, ask, wanted) => {
  const plan = await plansOf(ask);
  expect(waysIn(plan), plan).toEqual(wanted);
});

test('[POS13] a map reads one entry of each member, however much they did elsewhere', async () => {
  const { rows } = await database.db.execute(
    sql`explain (analyze, costs off, timing off, summary off) ${mapOf(BUSY_CHANNEL)}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain(`using ${OF_USER_CHANNEL} on activities`);
  expect(plan).not.toContain('Rows Removed');
});

test('[LOG21] names with three letters of a text or more are found by their index', async () => {
  const plan = await plansOf((db) => findNames(db, 'a77'));
  expect(plan).toContain('Bitmap Index Scan on activity_names_grams_idx');
});

test('[LOG21] a page that is counted is planned once for each connection, however deep it is', async () => {
  await database.db.transaction(async (tx) => {
    // By default PostgreSQL decides by estimates from a sample of the table, and usually decides the same.
    await tx.execute(sql`set local plan_cache_mode = force_generic_plan`);
    // The connection may have kept some statements of other tests.
    const plans = async () => {
      const { rows } = await tx.execute<{ name: string; custom: number; kept: number }>(sql`
        select name, custom_plans::int as custom, generic_plans::int as kept from pg_prepared_statements
        where statement like '%numbers as materialized%'`);
      return new Map(rows.map((row) => [row.name, row]));
    };
    const before = await plans();
    for (let turn = 0; turn < 8; turn += 1) {
      await readLog(tx, page);
      await readLog(tx, { ...page, start: 1_000 + turn * 50_000 });
      await readLog(tx, { ...page, types: types('login', 'logout', 'message_send').slice(turn % 3) });
    }
    const grown = [...(await plans())].map(([name, now]) => {
      const { custom = 0, kept = 0 } = before.get(name) ?? {};
      return { runs: now.custom + now.kept - custom - kept, kept: now.kept - kept };
    });
    const used = grown.filter(({ runs }) => runs > 0);
    expect(used.map(({ runs }) => runs)).toEqual([8, 8, 8]);
    expect(Math.min(...used.map(({ kept }) => kept))).toBe(8);
  });
});
