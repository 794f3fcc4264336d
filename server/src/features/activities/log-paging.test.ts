import { getAllActivities } from '@pressel/contract/activities';
import type { LoggedType } from '@pressel/contract/activity-types';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UPKEEP_LOCK } from '#src/db/locks.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { addDeltas } from './activities.repository.ts';

const PEOPLE = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'] as const;
const PLACES = ['01900000-0000-7000-8000-0000000000c1', '01900000-0000-7000-8000-0000000000c2'] as const;
const BEGIN = Date.parse('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;

/** Inserts entries over some months, several of them at one moment. */
const insert = (t: TestApp, first: number, last: number) =>
  t.database.db.execute(sql`
    insert into activities (id, type, is_audit, user_id, user_first_name, user_display_name, target_id, target_name,
      channel_id, channel_name, created_at)
    select gen_random_uuid(), (array['channel_talk','login','message_send','role_change','membership_add'])[1 + n % 5],
      n % 5 >= 3, case n % 2 when 0 then ${PEOPLE[0]}::uuid else ${PEOPLE[1]}::uuid end, 'Zoé',
      case when n % 2 = 0 then 'Zoé Ä' when n < 300 then 'Ancien' else 'Nouveau' end,
      case when n % 7 = 0 then ${PEOPLE[1]}::uuid end, case when n % 7 = 0 then 'Cible' end,
      case when n % 3 = 0 then ${PLACES[0]}::uuid when n % 3 = 1 then ${PLACES[1]}::uuid end,
      case when n % 3 = 0 then 'Nord' when n % 3 = 1 then 'Sud' end,
      timestamptz '2026-03-01 00:00Z' + (n / 3) * interval '397 minutes'
    from generate_series(${first}::int, ${last}::int) n`);

describe('the activity log, page by page', () => {
  let t: TestApp;
  let admin: Person;
  beforeAll(async () => {
    t = await buildTestApp();
    admin = await t.signUp('Admin');
    // Half of the entries are counted, the other half are fresh.
    await insert(t, 1, 350);
    expect(await addDeltas(t.database.db, 100_000)).toBeGreaterThan(0);
    await insert(t, 351, 700);
  });
  afterAll(() => t.close());

  const ask = async (body: Parameters<typeof t.call<typeof getAllActivities>>[1]) => {
    const reply = await t.call(getAllActivities, body, admin.token);
    expect([reply.status, reply.body.code]).toEqual([200, undefined]);
    return reply.body.res;
  };
  const idsOf = async (condition: ReturnType<typeof sql>): Promise<string[]> => {
    const { rows } = await t.database.db.execute<{ id: string }>(
      sql`select id from activities where ${condition} order by created_at desc, id desc`,
    );
    return rows.map(({ id }) => id);
  };
  const at = (hours: number) => new Date(BEGIN + hours * HOUR_MS).toISOString();

  test.each([
    ['nothing', {}, sql`not is_audit`],
    ['scope all', { scope: 'all' }, sql`true`],
    ['scope audit', { scope: 'audit' }, sql`is_audit`],
    ['a type', { types: ['channel_talk'] }, sql`type = 'channel_talk'`],
    ['types', { types: ['login', 'role_change', 'login'] }, sql`type in ('login', 'role_change')`],
    ['a user', { scope: 'all', userId: PEOPLE[0] }, sql`user_id = ${PEOPLE[0]}`],
    ['a user, as the specification', { userId: PEOPLE[0] }, sql`user_id = ${PEOPLE[0]} and not is_audit`],
    ['a channel', { scope: 'all', channelId: PLACES[1] }, sql`channel_id = ${PLACES[1]}`],
    ['a target', { scope: 'all', targetId: PEOPLE[1] }, sql`target_id = ${PEOPLE[1]}`],
    ['a user and a type', { userId: PEOPLE[1], types: ['login'] }, sql`user_id = ${PEOPLE[1]} and type = 'login'`],
    ['from', { scope: 'all', from: at(301.3) }, sql`created_at >= ${at(301.3)}::timestamptz`],
    ['to', { scope: 'all', to: at(301.3) }, sql`created_at < ${at(301.3)}::timestamptz`],
    [
      'a user between two moments',
      { scope: 'all', userId: PEOPLE[0], from: at(97.2), to: at(300) },
      sql`user_id = ${PEOPLE[0]} and created_at >= ${at(97.2)}::timestamptz and created_at < ${at(300)}::timestamptz`,
    ],
    ['to before from', { scope: 'all', from: at(300), to: at(200) }, sql`false`],
    ['a text', { scope: 'all', text: ' ZOE A' }, sql`user_display_name = 'Zoé Ä'`],
    ['a text of two letters', { scope: 'all', text: 'ïB' }, sql`target_name = 'Cible'`],
    ['the text of a channel', { scope: 'all', text: 'nord' }, sql`channel_name = 'Nord'`],
    ['the text of a target', { scope: 'all', text: 'cible' }, sql`target_name = 'Cible'`],
    ['a former name', { scope: 'all', text: 'ancien' }, sql`user_display_name = 'Ancien'`],
    ['an unknown text', { scope: 'all', text: 'nobody%' }, sql`false`],
  ] as const)('[LOG21] %s: each page, and the exact total', async (_name, filter, condition) => {
    const expected = await idsOf(condition);
    const { types, ...rest }: { types?: readonly LoggedType[] } & Record<string, unknown> = filter;
    const body = { ...rest, ...(types === undefined ? {} : { types: [...types] }) };
    const limit = 21;
    for (let start = 0; start <= expected.length; start += 5 * limit) {
      const { activities, totalRecords } = await ask({ ...body, start, limit });
      expect([start, totalRecords]).toEqual([start, expected.length]);
      expect(activities.map(({ id }) => id)).toEqual(expected.slice(start, start + limit));
    }
    // Reads the last entries, and beyond the end.
    const end = Math.max(0, expected.length - 3);
    expect((await ask({ ...body, start: end, limit })).activities.map(({ id }) => id)).toEqual(expected.slice(end));
    expect((await ask({ ...body, start: expected.length + 500, limit })).activities).toEqual([]);
  });

  test('[LOG22] reading on from a cursor neither skips nor repeats while entries come', async () => {
    const before = await idsOf(sql`not is_audit`);
    const seen: string[] = [];
    let cursor: string | undefined;
    let n = 1_000;
    do {
      const { activities, older, totalRecords } = await ask({ limit: 50, ...(cursor === undefined ? {} : { cursor }) });
      expect(totalRecords).toBe(before.length - seen.length);
      seen.push(...activities.map(({ id }) => id));
      cursor = older ?? undefined;
      await insert(t, n, n + 9);
      n += 10;
    } while (cursor !== undefined);
    expect(seen).toEqual(before);
  });

  test('[LOG22] pages below a fixed top keep their entries while new ones come, and tell how many those are', async () => {
    const before = await idsOf(sql`true`);
    const { top } = await ask({ scope: 'all', start: 63, limit: 21 });
    await insert(t, 200_000, 200_029);
    const page = await ask({ scope: 'all', start: 63, limit: 21, cursor: top ?? '' });
    expect(page).toMatchObject({ totalRecords: before.length, newer: 30, top });
    expect(page.activities.map(({ id }) => id)).toEqual(before.slice(63, 84));
    const next = await ask({ scope: 'all', limit: 21, cursor: page.older ?? '' });
    expect(next.activities.map(({ id }) => id)).toEqual(before.slice(84, 105));
    expect(next).toMatchObject({ totalRecords: before.length - 84, newer: 30 + 84 });
  });

  const YEAR_10000 = Date.UTC(10_000, 0).toString(36);
  test.each([
    'x',
    'a1.01900000-0000-7000-8000-00000000000',
    `bzzzzzzzzzzz.${PEOPLE[0]}`,
    `b${YEAR_10000}.${PEOPLE[0]}`,
    'b.',
  ])('the cursor %s is malformed', async (cursor) => {
    const { status, body } = await t.call(getAllActivities, { cursor }, admin.token);
    expect([status, body.code]).toEqual([400, 'malformed']);
  });

  test.each(['from', 'to'])('a year that the database has not is malformed in %s', async (bound) => {
    const { status, body } = await t.post(getAllActivities.path, { [bound]: '0000-01-01T00:00:00Z' }, admin.token);
    expect([status, body.code]).toEqual([400, 'malformed']);
  });

  test('[LOG22] entries newer than a cursor but from before the filter begins are not counted as newer', async () => {
    const { older } = await ask({ scope: 'all', start: 100, limit: 1 });
    expect(await ask({ scope: 'all', cursor: older ?? '', from: '2999-01-01T00:00:00Z' })).toMatchObject({
      totalRecords: 0,
      newer: 0,
    });
  });

  test('[LOG24] counted or not, the numbers are the same', async () => {
    const before = await ask({ scope: 'all', start: 100, limit: 5 });
    while ((await addDeltas(t.database.db, 50)) === 50);
    expect(await ask({ scope: 'all', start: 100, limit: 5 })).toEqual(before);
  });

  test('[LOG24] counting makes the search columns of new names alone', async () => {
    while ((await addDeltas(t.database.db, 1_000)) === 1_000);
    const { db } = t.database;
    const added = db.transaction(async (tx) => {
      // The process counts every few seconds by itself.
      await tx.execute(sql`select pg_advisory_xact_lock(${UPKEEP_LOCK})`);
      await tx.execute(sql`create or replace function text_grams(value text) returns text[] immutable language plpgsql
        as $$ begin raise exception 'Made anew: %', value; end $$`);
      const name = async (display: string) => {
        await tx.execute(sql`insert into activities (id, type, user_id, user_first_name, user_display_name, created_at)
          values (gen_random_uuid(), 'login', ${PEOPLE[0]}::uuid, 'Zoé', ${display}, now())`);
        return addDeltas(tx as unknown as typeof db, 10);
      };
      expect(await name('Zoé Ä')).toBeGreaterThan(0);
      await name('Zoé Neu');
    });
    await expect(added).rejects.toMatchObject({ cause: { message: 'Made anew: zoe\nzoe neu' } });
  });

  // Comes last: its entries stay, because to delete them would have to wait while a process counts them.
  test('[LOG23] a text is found however often somebody was renamed', async () => {
    const renames = 20_000;
    await t.database.db.execute(sql`
      insert into activities (id, type, is_audit, user_id, user_first_name, user_display_name, target_id, target_name, created_at)
      select gen_random_uuid(), 'user_update', true, ${PEOPLE[0]}::uuid, 'Zoé', 'Renommée ' || n, ${PEOPLE[0]}::uuid,
        'Renommée ' || n, timestamptz '2026-02-01 00:00Z'
      from generate_series(1, ${renames}::int) n`);
    expect(await ask({ scope: 'all', text: 'renommee', limit: 1 })).toMatchObject({ totalRecords: renames });
  });
});
