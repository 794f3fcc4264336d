import { randomUUID } from 'node:crypto';
import {
  beginningOf,
  deleteOldActivities,
  exportActivities,
  getAllActivities,
  getLastActivities,
} from '@pressel/contract/activities';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { getAllUsers } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimit } from '#src/limits/rate-limit.ts';
import type { Addressees, Socket } from '#src/sockets/sockets.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { waitUntil } from '#test/wait-until.ts';
import { moveHorizon, recordActivities } from './activities.repository.ts';
import { createActivitiesService, csvLines } from './activities.service.ts';
import { createActivityNews } from './activity-news.ts';

const NOW = Date.parse('2026-11-22T12:34:56.789Z');
const DAY_MS = 86_400_000;

describe('deletion and export of the log', () => {
  let t: TestApp;
  let admin: Person;
  beforeEach(async () => {
    t = await buildTestApp({ now: () => new Date(NOW) });
    admin = await t.signUp('Admin');
    await t.database.db.execute(sql`delete from activities`);
    await t.database.db.execute(sql`delete from activity_deltas`);
  });
  afterEach(() => t.close());

  const insertAt = (...times: number[]) =>
    t.database.db.execute(sql`
      insert into activities (id, type, user_id, user_first_name, user_display_name, created_at)
      select gen_random_uuid(), 'login', gen_random_uuid(), '=Zoé', '=Zoé "1", x', to_timestamp(ms::float8 / 1000)
      from unnest(${sql.param(times.map(String))}::bigint[]) ms`);
  const times = async () => {
    const { body } = await t.call(getAllActivities, { limit: 200 }, admin.token);
    expect(body.res.totalRecords).toBe(body.res.activities.length);
    return body.res.activities.map(({ createdAt }) => Date.parse(createdAt));
  };
  const rows = async () => {
    const { rows: found } = await t.database.db.execute<{ n: number }>(
      sql`select count(*)::int as n from activities where not is_audit`,
    );
    return found[0]?.n;
  };

  test('[LOG40] of two deletions at once each entry is counted by one, in the answers and in the log', async () => {
    await insertAt(...Array.from({ length: 30 }, (_, index) => NOW - 40 * DAY_MS - index));
    const answers = await Promise.all(
      (['1w', '2w', '1m', '1w', '2w', '1m'] as const).map(async (timeFrame) => {
        const { body } = await t.call(deleteOldActivities, { timeFrame }, admin.token);
        return body.deleted;
      }),
    );
    expect(answers.toSorted((a, b) => b - a)).toEqual([30, 0, 0, 0, 0, 0]);
    const { body } = await t.call(getAllActivities, { types: ['activity_delete'] }, admin.token);
    const counts = body.res.activities.map(({ details }) =>
      details !== null && 'count' in details ? details.count : null,
    );
    expect(counts.toSorted((a, b) => Number(b) - Number(a))).toEqual([30, 0, 0, 0, 0, 0]);
  });

  test('[LOG40] nothing goes that is newer than what somebody was asked about, nor than the period', async () => {
    const week = NOW - 7 * DAY_MS;
    await insertAt(week - 3, week - 2, week - 1, week);
    const deletedBefore = async (ms: number) => {
      const body = { timeFrame: '1w', before: new Date(ms).toISOString() } as const;
      return (await t.call(deleteOldActivities, body, admin.token)).body.deleted;
    };
    expect(await deletedBefore(week - 1)).toBe(2);
    expect(await times()).toEqual([week, week - 1]);
    expect(await deletedBefore(NOW + DAY_MS)).toBe(1);
    expect(await times()).toEqual([week]);
  });

  test('[LOG40] exactly what is older goes, to the millisecond; it is gone when the answer comes', async () => {
    const week = NOW - 7 * DAY_MS;
    await insertAt(week - 1, week, week + 1, week - 40 * DAY_MS, NOW - 1);
    const socket = await t.connect(admin.token);
    const { body } = await t.call(deleteOldActivities, { timeFrame: '1w' }, admin.token);
    expect(body).toMatchObject({ success: true, deleted: 2 });
    expect(await times()).toEqual([NOW - 1, week + 1, week]);
    expect(await socket.next('activities_deleted')).toEqual({ before: new Date(week).toISOString() });
    const { body: last } = await t.call(getLastActivities, { scope: 'audit' }, admin.token);
    expect(last.res).toMatchObject([
      { type: 'activity_delete', details: { before: new Date(week).toISOString(), count: 2, by: 'administrator' } },
    ]);
    await waitUntil(async () => (await rows()) === 3);
    expect(await times()).toEqual([NOW - 1, week + 1, week]);
    // A later deletion of less brings nothing back.
    expect((await t.call(deleteOldActivities, { timeFrame: '1m' }, admin.token)).body.deleted).toBe(0);
    expect(await times()).toEqual([NOW - 1, week + 1, week]);
  });

  test.each([
    ['1m', '2026-03-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
    ['1m', '2026-11-22T10:00:00.000Z', '2026-10-22T10:00:00.000Z'],
    ['2w', '2026-03-31T10:00:00.000Z', '2026-03-17T10:00:00.000Z'],
    ['1w', '2026-01-03T10:00:00.000Z', '2025-12-27T10:00:00.000Z'],
  ] as const)('[LOG40] %s before %s is %s', (timeFrame, now, before) => {
    expect(beginningOf(timeFrame, new Date(now)).toISOString()).toBe(before);
  });

  test('[LOG41] many rows go in parts, and others write meanwhile', async () => {
    await t.database.db.execute(sql`
      insert into activities (id, type, user_first_name, user_display_name, created_at)
      select gen_random_uuid(), 'login', 'A', 'A', ${new Date(NOW - 8 * DAY_MS).toISOString()}::timestamptz - n * interval '1 s'
      from generate_series(1, 12000) n`);
    let parts = 0;
    const service = createActivitiesService({
      ...{ db: t.database.db, record: recordActivities, retentionDays: 7, now: () => new Date(NOW) },
      ...{ exports: createRateLimit({ attempts: 1, seconds: 1 }), isStill: async () => true },
      ...{ tellDeleted: () => undefined, sweepSoon: () => undefined, settle: async () => undefined },
    });
    let writing: Promise<unknown> = Promise.resolve();
    await service.sweep(async () => {
      // New entries come between two parts, and during the next.
      parts += 1;
      writing = writing.then(() => insertAt(NOW));
      return true;
    });
    await writing;
    expect(parts).toBeGreaterThanOrEqual(3);
    expect(await times()).toEqual(Array(parts).fill(NOW));
    expect(await rows()).toBe(parts);
  });

  test('[LOG41] what a list says of somebody’s last act is not of what was deleted, before its row is gone', async () => {
    await t.database.db.execute(sql`
      insert into activities (id, type, user_id, user_first_name, user_display_name, created_at)
      values (gen_random_uuid(), 'login', ${admin.id}, 'Admin', 'Admin', ${new Date(NOW - 8 * DAY_MS).toISOString()})`);
    const last = async () =>
      (await t.call(getAllUsers, {}, admin.token)).body.res.map(({ userActivities }) => userActivities);
    expect(await last()).toMatchObject([[{ createdAt: new Date(NOW - 8 * DAY_MS).toISOString() }]]);
    await moveHorizon(t.database.db, new Date(NOW - 7 * DAY_MS));
    // The answer is the same whether or not the row has been removed by now.
    expect(await last()).toEqual([[]]);
  });

  test('[LOG42] what the retention says goes by itself', async () => {
    const app = await buildTestApp({
      now: () => new Date(NOW + 5 * DAY_MS),
      database: t.database,
      config: { activityRetentionDays: 10 },
    });
    await app.close();
    await insertAt(NOW - 6 * DAY_MS, NOW - 4 * DAY_MS);
    const next = await buildTestApp({
      now: () => new Date(NOW + 5 * DAY_MS),
      database: t.database,
      config: { activityRetentionDays: 10 },
    });
    await waitUntil(async () => (await rows()) === 1);
    await next.close();
    expect(await times()).toEqual([NOW - 4 * DAY_MS]);
  });

  test('[LOG45] the export has every entry that the filter finds, and no cell is a formula', async () => {
    await insertAt(...Array.from({ length: 1_203 }, (_, n) => NOW - n * 1_000));
    const answer = await t.app.inject({
      method: 'POST',
      url: exportActivities.path,
      headers: { [TOKEN_HEADER]: admin.token },
      payload: { from: new Date(NOW - 1_200_000).toISOString(), timeZone: 'Europe/Paris' },
    });
    expect(answer.headers).toMatchObject({ 'x-total-records': '1201', 'content-type': 'text/csv; charset=utf-8' });
    const lines = answer.body.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1_202);
    expect(lines[1]).toMatch(/^2026-11-22T12:34:56\.789Z,2026-11-22 13:34:56,login,"'=Zoé ""1"", x",/u);
    const { body } = await t.call(getAllActivities, { scope: 'audit' }, admin.token);
    expect(body.res.activities).toMatchObject([{ type: 'activity_export', details: { count: 1_201 } }]);
  });

  test('[LOG45] a name is one cell and no formula wherever the sheet is opened', () => {
    const rowOf = (display_name: string) =>
      csvLines('UTC').line({
        ...{ id: randomUUID(), type: 'login', createdAt: new Date(NOW).toISOString(), details: null },
        ...{ user: { id: randomUUID(), firstName: 'x', display_name }, target: null, channel: null, address: null },
      });
    expect(rowOf('＝1+1')).toContain(",login,'＝1+1,");
    expect(rowOf('\n=1+1')).toContain(`,login,"'\n'=1+1",`);
    // A sheet that separates cells by one of these begins a cell there: our quotes are not at its beginning.
    for (const separator of [';', '\t', '\n']) {
      expect(rowOf(`a${separator}=1+1;b`)).toContain(`,login,"a${separator}'=1+1;b",`);
      expect(rowOf(`a${separator} "@1"`)).toContain(`,login,"a${separator}' ""@1""",`);
    }
    expect(rowOf('Nord; Sud-Est')).toContain(',login,"Nord; Sud-Est",');
  });

  test('[LOG50] an administrator is told of what was put down after they came, however soon', async () => {
    const told: unknown[] = [];
    const socket = { data: { session: { role: 'admin' } } } as Socket;
    const everybody: Addressees = { emit: (_, payload) => void told.push(payload), except: () => everybody };
    const sockets = { all: () => [socket], local: { to: () => everybody } };
    const news = createActivityNews({ db: t.database.db, sockets });
    await news.begin();
    await insertAt(NOW);
    await news.tell();
    await news.tell();
    await insertAt(NOW, NOW);
    await news.tell();
    expect(told).toEqual([
      { spec: 1, audit: 0 },
      { spec: 2, audit: 0 },
    ]);
  });

  test('[LOG50] an administrator who is connected hears of it', async () => {
    const socket = await t.connect(admin.token);
    await waitUntil(async () => {
      await insertAt(NOW);
      return socket.waiting('activities_added').length > 0;
    });
  });
});
