import { deleteOldActivities, getAllActivities } from '@pressel/contract/activities';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { buildTestApp } from '#test/build-test-app.ts';
import { waitUntil } from '#test/wait-until.ts';

const NOW = Date.parse('2026-11-22T12:34:56.789Z');
const YEAR_MS = 365 * 86_400_000;

test('[LOG43] a deletion by a clock that was ahead does not take away what is put down when it is right again', async () => {
  let time = NOW + YEAR_MS;
  const t = await buildTestApp({ now: () => new Date(time) });
  const admin = await t.signUp('Admin');
  const rows = async (before: string) => {
    const { rows: found } = await t.database.db.execute(sql`
      select 1 from activities where created_at < ${before}::timestamptz`);
    return found.length;
  };
  await t.database.db.execute(sql`
    insert into activities (id, type, user_first_name, user_display_name, created_at)
    values (gen_random_uuid(), 'login', 'A', 'A', ${new Date(NOW).toISOString()}::timestamptz - interval '1 day')`);
  await t.call(deleteOldActivities, { timeFrame: '1w' }, admin.token);
  // The clock is set right once the sweep of this deletion is over.
  await waitUntil(async () => (await rows(new Date(NOW).toISOString())) === 0);
  time = NOW;
  const token = await t.signIn(admin);
  await t.call(deleteOldActivities, { timeFrame: '1w' }, token);
  const list = async () => (await t.call(getAllActivities, { scope: 'all', types: ['login'] }, token)).body.res;
  time += 1_000;
  await t.signIn(admin);
  const { activities, totalRecords } = await list();
  expect(activities.map(({ createdAt }) => createdAt)).toContain(new Date(time).toISOString());
  expect(totalRecords).toBe(activities.length);
  await waitUntil(async () => (await rows(new Date(NOW - 7 * 86_400_000).toISOString())) === 0);
  expect((await list()).activities).toHaveLength(activities.length);
  await t.close();
});
