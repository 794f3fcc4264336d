import { getUsersInChannel } from '@pressel/contract/channels';
import { POSITION_BURST, POSITION_ENTRY_MS } from '@pressel/contract/limits';
import { getChannelPositions, getMapSettings, updateUserPosition } from '@pressel/contract/positions';
import { deleteUser, getAllUsers, getUserById } from '@pressel/contract/users';
import { asc } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lastPositions, userPositions } from '#src/db/schema/positions.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, makeTeam, type Team } from '#test/factories.ts';
import { giveMapRight, mapSocket, PARIS } from '#test/positions.ts';
import { waitUntil } from '#test/wait-until.ts';

const START = Date.parse('2026-11-22T10:00:00.000Z');

let t: TestApp;
let team: Team;
let now = START;

beforeEach(async () => {
  now = START;
  t = await buildTestApp({ now: () => new Date(now) });
  team = await makeTeam(t);
});
afterEach(() => t.close());

const report = (person: Person, change: object = {}) =>
  t.call(updateUserPosition, { ...PARIS, ...change }, person.token);

const history = async () => {
  const rows = await t.database.db.select().from(userPositions).orderBy(asc(userPositions.recordedAt));
  return rows.map(({ userId, lat, lng, accuracy, recordedAt }) => [
    userId,
    lat,
    lng,
    accuracy,
    recordedAt.getTime() - START,
  ]);
};

test('[POS5] an accepted position is stored, and is the last one', async () => {
  const { ana } = team;
  expect((await report(ana, { accuracy: 12 })).body).toEqual({ success: true, stored: true });
  now += 5_000;
  await report(ana, { lat: 49 });
  expect(await history()).toEqual([
    [ana.id, 48.85, 2.35, 12, 0],
    [ana.id, 49, 2.35, null, 5_000],
  ]);
  const rows = await t.database.db.select().from(lastPositions);
  expect(rows.map(({ lat, recordedAt }) => [lat, recordedAt.getTime()])).toEqual([[49, START + 5_000]]);
});

test.each([
  { lat: 90.001, lng: 0 },
  { lat: -91, lng: 0 },
  { lat: 0, lng: 180.5 },
  { lat: 0, lng: -181 },
  { lat: '48', lng: 2 },
  { lat: 48 },
  { lat: 48, lng: 2, accuracy: -1 },
  { lat: 48, lng: 2, recordedAt: 'yesterday' },
  { lat: 48, lng: 2, ageMs: -1 },
])('[POS2] %j is refused by call and event', async (position) => {
  const { status, body } = await t.post(updateUserPosition.path, position, team.ana.token);
  expect([status, body.code]).toEqual([400, 'malformed']);
  const socket = await t.connect(team.ana.token);
  expect(await socket.send('position_update', position as never)).toMatchObject({ ok: false, code: 'malformed' });
  expect(await history()).toEqual([]);
});

test('the poles and the antimeridian are places too', async () => {
  await report(team.ana, { lat: -90, lng: 180 });
  expect(await history()).toHaveLength(1);
});

test('nobody reports the position of somebody else', async () => {
  const { status } = await report(team.ana, { userId: team.bo.id });
  expect(status).toBe(403);
  expect(await history()).toEqual([]);
});

test('[POS3] a time in the future counts as now; an age wins over a time', async () => {
  const { ana, bo } = team;
  await report(ana, { recordedAt: new Date(START + 3_600_000).toISOString() });
  await report(bo, { recordedAt: new Date(START - 60_000).toISOString(), ageMs: 2_000 });
  expect((await history()).map(([userId, , , , at]) => [userId, at])).toEqual([
    [bo.id, -2_000],
    [ana.id, 0],
  ]);
});

alone('two processes may give one user the same millisecond').test(
  '[POS3] two positions without a time, within a millisecond, are both stored',
  async () => {
    await Promise.all([report(team.ana), report(team.ana, { lat: 49 })]);
    expect((await history()).map(([, , , , at]) => at)).toEqual([0, 1]);
  },
);

test('[POS4] what is not newer than the last one is left out, also after a restart', async () => {
  const { ana, admin } = team;
  const at = (ms: number) => ({ recordedAt: new Date(START + ms).toISOString() });
  await report(ana, at(-10_000));
  const watcher = await mapSocket(t, admin);
  expect((await report(ana, { ...at(-20_000), lat: 1 })).body.stored).toBe(false);
  expect((await report(ana, { ...at(-10_000), lat: 2 })).body.stored).toBe(false);
  expect(await history()).toHaveLength(1);
  const again = await buildTestApp({ now: () => new Date(now), database: t.database });
  expect((await again.call(updateUserPosition, { ...PARIS, ...at(-15_000) }, ana.token)).body.stored).toBe(false);
  await again.close();
  expect((await report(ana, at(-5_000))).body.stored).toBe(true);
  expect((await watcher.next('onLocationChanged')).recordedAt).toBe(at(-5_000).recordedAt);
  expect(watcher.waiting('onLocationChanged')).toEqual([]);
});

test('[POS5] what could not be stored may be sent again', async () => {
  const { ana } = team;
  const position = { recordedAt: new Date(START - 1_000).toISOString() };
  await t.database.db.execute('alter table user_positions rename to away');
  expect((await report(ana, position)).status).toBeGreaterThanOrEqual(500);
  await t.database.db.execute('alter table away rename to user_positions');
  expect((await report(ana, position)).body.stored).toBe(true);
  expect(await history()).toHaveLength(1);
});

test('[POS6] more than ten in ten seconds are refused, by whichever way they come; others are not held up', async () => {
  const { ana, bo } = team;
  const socket = await t.connect(ana.token);
  for (let sent = 0; sent < POSITION_BURST; sent += 1) {
    if (sent % 2 === 0) expect((await report(ana)).status).toBe(200);
    else expect(await socket.send('position_update', PARIS)).toEqual({ ok: true, data: {} });
  }
  const { status, body } = await report(ana);
  expect([status, body.code]).toEqual([429, 'too_many']);
  expect(body.params?.retryAfterSeconds).toBeGreaterThan(0);
  expect(await socket.send('position_update', PARIS)).toMatchObject({ ok: false, code: 'too_many' });
  expect((await report(bo)).status).toBe(200);
  expect(await history()).toHaveLength(POSITION_BURST + 1);
});

test('[POS7] the activity log has one position_update of a user in ten minutes', async () => {
  const { ana, bo } = team;
  const entries = async () => (await activityLog(t)).filter((line) => line.startsWith('position_update'));
  await report(ana);
  now += 1_000;
  await report(ana);
  await report(bo);
  expect(await entries()).toEqual(['position_update Ana -', 'position_update Bo -']);
  now = START + POSITION_ENTRY_MS - 1;
  await report(ana);
  expect(await entries()).toHaveLength(2);
  now = START + POSITION_ENTRY_MS;
  await report(ana);
  expect(await entries()).toHaveLength(3);
});

test('[POS1] positions are read by administrators, and by members of the channel with the right to the map', async () => {
  const { admin, ana, bo, out, nord, sud } = team;
  await report(ana, { accuracy: 12 });
  const read = (person: Person, channelId = nord) => t.call(getChannelPositions, { channelId }, person.token);
  expect((await read(ana)).body.code).toBe('forbidden');
  expect((await t.call(getMapSettings, { channelId: nord }, ana.token)).body.code).toBe('forbidden');
  await giveMapRight(t, admin, [bo, out]);
  const shown = {
    userId: ana.id,
    display_name: 'Ana Test',
    pseudo: '',
    ...PARIS,
    accuracy: 12,
    recordedAt: new Date(START).toISOString(),
    ageMs: 3_000,
  };
  now += 3_000;
  for (const person of [admin, bo]) expect((await read(person)).body.res).toEqual([expect.objectContaining(shown)]);
  expect((await read(out)).body.code).toBe('not_a_member');
  expect((await read(out, sud)).body.res).toEqual([]);
  expect((await t.call(getMapSettings, { channelId: nord }, bo.token)).body).toEqual({
    success: true,
    styleUrl: null,
    center: [2.35, 48.85],
  });
});

test('some members can be asked for alone; who is no member is not among them', async () => {
  const { admin, ana, bo, out, nord } = team;
  for (const person of [ana, bo, out]) await report(person);
  const { body } = await t.call(getChannelPositions, { channelId: nord, userIds: [bo.id, out.id] }, admin.token);
  expect(body.res.map(({ userId }) => userId)).toEqual([bo.id]);
});

test('[POS12] lists have the last position for those who may see it, and no such field for others', async () => {
  const { admin, ana, bo, nord } = team;
  await report(ana);
  const positionsIn = (rows: readonly { id: string; userPositions?: unknown }[]) =>
    Object.fromEntries(rows.map((row) => [row.id, row.userPositions]));
  const theirs = [{ ...PARIS, accuracy: null, recordedAt: new Date(START).toISOString(), ageMs: 0 }];
  const members = async (person: Person) =>
    positionsIn((await t.call(getUsersInChannel, { channelId: nord }, person.token)).body.res);
  const self = async (person: Person) =>
    (await t.call(getUserById, { userId: person.id }, person.token)).body.res.userPositions;
  expect(await members(bo)).toEqual({ [ana.id]: undefined, [bo.id]: undefined });
  expect(await self(ana)).toBeUndefined();
  expect(await members(admin)).toEqual({ [ana.id]: theirs, [bo.id]: [] });
  expect(positionsIn((await t.call(getAllUsers, {}, admin.token)).body.res)[ana.id]).toEqual(theirs);
  expect(positionsIn((await t.call(getAllUsers, { limit: 25 }, admin.token)).body.res)[ana.id]).toEqual(theirs);
  await giveMapRight(t, admin, [ana]);
  expect(await members(ana)).toEqual({ [ana.id]: theirs, [bo.id]: [] });
  expect(await self(ana)).toEqual(theirs);
});

test('[POS11] positions go with their user', async () => {
  const { admin, ana, bo } = team;
  await report(ana);
  await report(bo);
  await t.call(deleteUser, { UserId: ana.id }, admin.token);
  expect(await t.database.db.$count(lastPositions)).toBe(1);
  // The history is deleted afterwards (HIST2).
  await waitUntil(async () => (await history()).every(([userId]) => userId === bo.id));
  expect(await history()).toHaveLength(1);
});

test('numbers that the database cannot hold refuse nobody’s position', async () => {
  const { ana, bo } = team;
  const answers = await Promise.all([
    report(ana, { accuracy: 1e-300 }),
    report(bo, { recordedAt: '0000-01-01T00:00:00Z' }),
    report(team.admin, { accuracy: 3 }),
  ]);
  expect(answers.map(({ status, body }) => [status, body.stored])).toEqual([
    [200, true],
    [400, undefined],
    [200, true],
  ]);
});
