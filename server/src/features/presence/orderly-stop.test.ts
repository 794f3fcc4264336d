import { addUserToChannel } from '@pressel/contract/channels';
import type { FloorNews } from '@pressel/contract/voice';
import { asc } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { activities } from '#src/db/schema/activities.ts';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { alone, PROCESSES } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { breakLink, joinResumable, type Resumable } from '#test/resuming.ts';
import { openTestDatabase } from '#test/test-database.ts';

let database: Database;
let before: TestApp;
let after: TestApp;
let of: Team;
let ana: Resumable;
/** The time of both processes, ms. */
let time: number;
const open = () => buildTestApp({ database, now: () => new Date(time), steadyNow: () => time });
const again = async (more: { floor?: FloorNews; claim?: number } = {}) =>
  joinResumable(await after.connect(of.ana.token), of.nord, ana.token, more);
/** Makes it look as if the process had stopped for good so long ago. */
const stoppedBefore = (ms: number) => database.db.update(servers).set({ seenAt: new Date(Date.now() - ms) });
const stoppedLongAgo = () => stoppedBefore(60_000);
const entries = async () =>
  (await database.db.select().from(activities).orderBy(asc(activities.createdAt), asc(activities.id)))
    .filter(({ channelName, userFirstName }) => channelName === 'Nord' && userFirstName === 'Ana')
    .map(({ type, details }) => ({ type, details }));
const JOINED = { type: 'channel_join', details: null };
beforeEach(async () => {
  database = await openTestDatabase();
  time = Date.now();
  before = await open();
  of = await makeTeam(before);
  ana = await joinResumable(await before.connect(of.ana.token), of.nord);
});
afterEach(async () => {
  await after.close();
  await database.close();
});

test('[PRES44] who can resume comes back as if nothing had been; nobody else is kept', async () => {
  const old = await enterRoom(before, of.bo, 'Nord');
  await before.close();
  time += 3_000;
  after = await open();
  const bo = await enterRoom(after, of.bo, 'Nord');
  expect(bo.state.participants.map(({ id }) => id)).toEqual([ana.id]);
  const back = await again();
  expect(back.state.participants.map(({ id }) => id)).toEqual([bo.id]);
  await caughtUp(bo, back);
  expect([bo.waiting('user joined'), bo.waiting('user_exit')]).toEqual([[], []]);
  expect(await entries()).toEqual([JOINED]);
  expect((await activityLog(after)).filter((line) => line.endsWith('Bo Nord'))).toEqual([
    'channel_join Bo Nord',
    'channel_leave Bo Nord',
    'channel_join Bo Nord',
  ]);
  const rows = await database.db.select().from(userSockets);
  expect(rows.filter(({ socketId }) => socketId === old.id)).toEqual([]);
});

test('[PRES44] who was lost before the stop comes back too', async () => {
  const bo = await enterRoom(before, of.bo, 'Nord');
  breakLink(ana);
  await bo.next('participant_changed');
  await before.close();
  after = await open();
  expect((await again()).state.self.id).toBe(ana.id);
  expect(await entries()).toEqual([JOINED]);
});

test('[PRES44] [TALK153] who comes back after 25 s without a server never left', async () => {
  await before.close();
  await stoppedBefore(25_000);
  after = await open();
  expect((await again()).state.self.id).toBe(ana.id);
  expect(await entries()).toEqual([JOINED]);
});

test('[PRES44] who doesn’t come back left when the process was last seen', async () => {
  await before.close();
  await stoppedLongAgo();
  after = await open();
  expect(await entries()).toEqual([JOINED, { type: 'connexion_lost', details: { durationMs: 0 } }]);
  // With several processes, none gives an id whose rows are gone (PROC11).
  expect((await again()).state.self.id === ana.id).toBe(PROCESSES === 1);
  expect((await entries()).map(({ type }) => type)).toEqual(['channel_join', 'connexion_lost', 'channel_join']);
});

/** The same for several processes: `all-at-once.test.ts`. */
const ofTalks = alone('the floors of several processes count by the database’s clock (PROC23)');

ofTalks.describe('during a talk', () => {
  let floor: FloorNews;
  beforeEach(async () => {
    await ana.send('floor_request', { seq: 1 });
    floor = await ana.next('floor_changed');
    time += 1_000;
    await before.close();
    time += 500;
  });

  test('[TALK162] a talk that goes on is one entry, with its whole time', async () => {
    after = await open();
    const back = await again({ floor, claim: 1 });
    time += 1_000;
    await back.send('floor_release', { seq: 2 });
    await back.send('last_talks', {});
    expect(await entries()).toEqual([
      JOINED,
      { type: 'channel_talk', details: { durationMs: 2_500, end: 'released' } },
    ]);
  });

  test('[TALK162] a talk that ended meanwhile is one entry, as far as the server heard it', async () => {
    after = await open();
    await again({ floor });
    expect(await entries()).toEqual([JOINED, { type: 'channel_talk', details: { durationMs: 1_000, end: 'left' } }]);
    await again({ floor });
    expect(await entries()).toHaveLength(2);
  });

  test('[TALK162] so is one whose talker doesn’t come back', async () => {
    await stoppedLongAgo();
    after = await open();
    expect(await entries()).toEqual([
      JOINED,
      { type: 'channel_talk', details: { durationMs: 1_000, end: 'left' } },
      { type: 'connexion_lost', details: { durationMs: 0 } },
    ]);
  });
});

ofTalks.test(
  '[TALK162] a talk whose talker comes back to another room alone is one entry, as far as the server heard it',
  async () => {
    await before.call(addUserToChannel, { userId: of.ana.id, channelId: of.sud }, of.admin.token);
    await joinResumable(ana, of.sud, ana.token);
    await ana.send('floor_request', { seq: 1, channelId: of.nord });
    time += 1_000;
    await before.close();
    after = await open();
    const back = await joinResumable(await after.connect(of.ana.token), of.sud, ana.token);
    expect(await entries()).toEqual([JOINED]);
    await back.send('leave_room', { channelId: of.nord });
    expect(await entries()).toEqual([
      JOINED,
      { type: 'channel_talk', details: { durationMs: 1_000, end: 'left' } },
      { type: 'connexion_lost', details: { durationMs: 1_000 } },
    ]);
  },
);
