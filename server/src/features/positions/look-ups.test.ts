import { POSITION_ENTRY_MS, TRAIL_MAX_POINTS, TRAIL_MS } from '@pressel/contract/limits';
import { getChannelPositions, getUserTrail, lookUpPosition, updateUserPosition } from '@pressel/contract/positions';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { userPositions } from '#src/db/schema/positions.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { giveMapRight, PARIS } from '#test/positions.ts';

const START = Date.parse('2026-11-22T10:00:00.000Z');

let t: TestApp;
let team: Team;
let now = START;

beforeEach(async () => {
  now = START;
  t = await buildTestApp({ now: () => new Date(now) });
  team = await makeTeam(t);
});
afterEach(async () => {
  vi.useRealTimers();
  await t.close();
});

const lookUp = (caller: Person, person: Person, channelId = team.nord) =>
  t.call(lookUpPosition, { channelId, userId: person.id }, caller.token);
const trail = (caller: Person, person: Person, channelId = team.nord) =>
  t.call(getUserTrail, { channelId, userId: person.id }, caller.token);
const entries = async () => (await activityLog(t)).filter((line) => line.startsWith('position_get'));

alone('several processes count by the clock of Redis').test(
  '[POS9] looking somebody up is in the activity log, once for each pair in ten minutes',
  async () => {
    const { admin, ana, bo } = team;
    await t.call(updateUserPosition, PARIS, ana.token);
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    expect((await lookUp(admin, ana)).body.res).toMatchObject({ userId: ana.id, ...PARIS });
    await lookUp(admin, ana);
    await trail(admin, ana);
    expect(await entries()).toEqual(['position_get Admin Nord']);
    expect((await lookUp(admin, bo)).body.res).toBeNull();
    expect(await entries()).toHaveLength(2);
    vi.setSystemTime(Date.now() + POSITION_ENTRY_MS + 1_000);
    await trail(admin, ana);
    expect(await entries()).toHaveLength(3);
  },
);

test('[POS9] one’s own position, and the map itself, are not looked up', async () => {
  const { admin, ana, nord } = team;
  await t.call(updateUserPosition, PARIS, ana.token);
  await giveMapRight(t, admin, [ana]);
  await lookUp(ana, ana);
  await t.call(getChannelPositions, { channelId: nord }, admin.token);
  expect(await entries()).toEqual([]);
});

test('[POS1] look-ups and trails are for those who may see positions, of members of the channel', async () => {
  const { admin, ana, bo, out, sud } = team;
  await t.call(updateUserPosition, PARIS, ana.token);
  for (const ask of [lookUp, trail]) {
    expect((await ask(bo, ana)).body.code).toBe('forbidden');
    expect((await ask(admin, out)).body).toMatchObject({ code: 'not_found', params: { what: 'member' } });
  }
  await giveMapRight(t, admin, [bo, out]);
  for (const ask of [lookUp, trail]) {
    expect((await ask(bo, ana)).status).toBe(200);
    expect((await ask(out, ana)).body.code).toBe('not_a_member');
    expect((await ask(out, ana, sud)).body.code).toBe('not_found');
  }
  expect(await entries()).toEqual(['position_get Bo Nord']);
});

test('[POS10] a trail is the last hour, oldest first, thinned out evenly', async () => {
  const { admin, ana } = team;
  const every = (count: number, stepMs: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ userId: ana.id, lat: 48, lng: index / 100 },
      recordedAt: new Date(START - index * stepMs),
    }));
  await t.database.db.insert(userPositions).values(every(4_000, 1_000));
  const points = (await trail(admin, ana)).body.res;
  expect(points).toHaveLength(TRAIL_MAX_POINTS);
  expect(points.at(-1)).toEqual([0, 48, 0]);
  const ages = points.map(([, , ageMs]) => ageMs);
  expect(ages).toEqual(ages.toSorted((a, b) => b - a));
  expect(ages[0]).toBeLessThan(TRAIL_MS);
  expect(ages[0]).toBeGreaterThan(TRAIL_MS - 10_000);
});

test('[POS13] what somebody did elsewhere is for administrators', async () => {
  const { admin, ana, bo, nord } = team;
  await giveMapRight(t, admin, [bo]);
  now += 1_000;
  await t.call(updateUserPosition, PARIS, ana.token);
  const seenBy = async (person: Person) =>
    (await t.call(getChannelPositions, { channelId: nord }, person.token)).body.res[0]?.userActivities;
  expect(await seenBy(admin)).toMatchObject([{ type: 'position_update' }]);
  expect(await seenBy(bo)).toEqual([]);
  await enterRoom(t, ana, 'Nord');
  expect(await seenBy(bo)).toMatchObject([{ type: 'channel_join', channel: { name: 'Nord' } }]);
});
