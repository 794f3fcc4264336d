import { addUserToChannel, deleteChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import { updateUserPosition } from '@pressel/contract/positions';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lastPositions } from '#src/db/schema/positions.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { giveMapRight, mapSocket, PARIS, takeMapRight } from '#test/positions.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';

let t: TestApp;
let team: Team;

beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

/** Never asked within a transaction, which sees one picture of the others until its end. */
const WAITING = sql`(select 1 from pg_stat_activity where wait_event_type = 'Lock'
  and datname = current_database()) as waiting`;

let place = 0;
/** Somebody moves. @returns what each of these sockets heard of it */
async function heardBy(person: Person, sockets: readonly TestSocket[], channels?: TestSocket): Promise<boolean[]> {
  place = (place + 1) % 80;
  if (channels === undefined) await t.call(updateUserPosition, { ...PARIS, lat: place }, person.token);
  else await channels.send('position_update', { ...PARIS, lat: place });
  await caughtUp(...sockets);
  return sockets.map((socket) => socket.waiting('onLocationChanged').some(({ lat }) => lat === place));
}

test('[POS1] [POS5] live: to administrators, and to members with the right to the map who share a channel', async () => {
  const { admin, ana, bo, out } = team;
  await giveMapRight(t, admin, [bo, out]);
  const sockets = [
    await mapSocket(t, admin),
    await mapSocket(t, bo),
    await mapSocket(t, ana, false),
    await mapSocket(t, out),
  ];
  expect(await heardBy(ana, sockets)).toEqual([true, true, false, false]);
  expect(await heardBy(ana, sockets, sockets[2])).toEqual([true, true, false, false]);
  const news = await sockets[1]?.next('onLocationChanged');
  expect(news).toMatchObject({ userId: ana.id, lng: 2.35, accuracy: null });
});

test('[POS1] an administrator hears of members of channels that are not theirs', async () => {
  const watcher = await mapSocket(t, team.admin);
  expect(await heardBy(team.out, [watcher])).toEqual([true]);
});

test('[POS8] the right to the map that is taken away, or given, holds at once', async () => {
  const { admin, ana, bo } = team;
  const watcher = await mapSocket(t, bo, false);
  expect(await heardBy(ana, [watcher])).toEqual([false]);
  await giveMapRight(t, admin, [bo]);
  expect(await watcher.next('map_right')).toEqual({ mapRight: true });
  expect(await heardBy(ana, [watcher])).toEqual([true]);
  await takeMapRight(t, admin, [bo]);
  expect(await watcher.next('map_right')).toEqual({ mapRight: false });
  expect(await heardBy(ana, [watcher])).toEqual([false]);
});

test('[POS8] so does a membership', async () => {
  const { admin, ana, bo, nord } = team;
  await giveMapRight(t, admin, [bo]);
  const watcher = await mapSocket(t, bo);
  await t.call(deleteUserFromChannel, { userId: bo.id, channelId: nord }, admin.token);
  expect(await heardBy(ana, [watcher])).toEqual([false]);
  await t.call(addUserToChannel, { userId: bo.id, channelId: nord }, admin.token);
  expect(await heardBy(ana, [watcher])).toEqual([true]);
});

test.each(['call', 'event'])('[POS8] so does one that ends while that person reports by %s', async (way) => {
  const { admin, ana, bo, nord } = team;
  await giveMapRight(t, admin, [bo]);
  const watcher = await mapSocket(t, bo);
  const mover = await mapSocket(t, ana, false);
  let reported: Promise<unknown> | undefined;
  await t.database.db.transaction(async (tx) => {
    // A report of somebody whose last position isn't known yet has to read it first.
    await tx.execute(sql`lock table ${lastPositions} in access exclusive mode`);
    if (way === 'call') reported = t.call(updateUserPosition, PARIS, ana.token);
    else reported = mover.send('position_update', PARIS);
    await waitUntil(async () => (await t.database.db.$count(WAITING)) > 0);
    await t.call(deleteUserFromChannel, { userId: ana.id, channelId: nord }, admin.token);
  });
  await reported;
  await caughtUp(watcher);
  expect(watcher.waiting('onLocationChanged')).toEqual([]);
});

test('[POS8] a channel made or deleted changes who shares one', async () => {
  const { admin, out, bo } = team;
  await giveMapRight(t, admin, [bo]);
  const watcher = await mapSocket(t, bo);
  const mover = await mapSocket(t, out, false);
  expect(await heardBy(out, [watcher], mover)).toEqual([false]);
  const both = await makeChannel(t, admin, 'Both', [bo.id, out.id]);
  await caughtUp(watcher, mover);
  expect(await heardBy(out, [watcher], mover)).toEqual([true]);
  await t.call(deleteChannel, { channelId: both }, admin.token);
  expect(await heardBy(out, [watcher], mover)).toEqual([false]);
});

test('[POS8] a right that changes while a socket connects is the one that holds', async () => {
  const { admin, ana, bo } = team;
  for (let round = 0; round < 5; round += 1) {
    await giveMapRight(t, admin, [bo]);
    const connecting = t.connect(bo.token);
    const taking = takeMapRight(t, admin, [bo]);
    const watcher = await connecting;
    await taking;
    await watcher.next('map_right', ({ mapRight }) => !mapRight);
    expect(await heardBy(ana, [watcher])).toEqual([false]);
  }
});
