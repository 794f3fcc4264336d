import { deleteUserFromChannel } from '@pressel/contract/channels';
import { type ClientMessageId, sendMessage } from '@pressel/contract/chat';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { userSockets } from '#src/db/schema/presence.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';
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

/** Holds back all writes about this user's sockets until `work` is done, as on a busy database. */
const whileHeldBack = (userId: string, work: (isWaiting: () => Promise<boolean>) => Promise<void>) =>
  t.database.db.transaction(async (tx) => {
    await tx.select().from(userSockets).where(eq(userSockets.userId, userId)).for('update');
    await work(async () => (await t.database.db.$count(WAITING)) > 0);
  });

const removeAna = () => t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);

test('[PRES14] who is removed hears nothing of the room any more, though their leave is not stored yet', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterRoom(t, team.bo, 'Nord');
  let sent: ReturnType<typeof t.call<typeof sendMessage>> | undefined;
  await whileHeldBack(team.ana.id, async (isWaiting) => {
    await removeAna();
    await waitUntil(isWaiting);
    const body = {
      userId: team.bo.id,
      channelId: team.nord,
      message: 'Between us',
      clientId: uuidV7() as ClientMessageId,
    };
    // The message waits for its turn, which comes after the leave.
    sent = t.call(sendMessage, body, team.bo.token);
    expect(await bo.send('typing', {})).toMatchObject({ ok: true });
    expect(await bo.send('floor_request', { seq: 1 })).toMatchObject({ ok: true });
    await bo.next('floor_changed', ({ talkers }) => talkers.length === 1);
    await caughtUp(ana);
    for (const event of ['typingResponse', 'floor_changed', 'onMicStateChanged'] as const) {
      expect([event, ana.waiting(event)]).toEqual([event, []]);
    }
  });
  expect((await sent)?.status).toBe(200);
  await bo.next('messageResponse');
  expect(await ana.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
  await caughtUp(ana);
  expect(ana.waiting('messageResponse')).toEqual([]);
  expect(await bo.next('user_exit')).toEqual({ id: ana.id, channelId: team.nord });
});

test('[PRES14] nor is anything of the room answered, or passed on to it', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterRoom(t, team.bo, 'Nord');
  await whileHeldBack(team.ana.id, async (isWaiting) => {
    await removeAna();
    await waitUntil(isWaiting);
    const refused = { ok: false, code: 'not_in_room' };
    expect(await ana.send('beat', { version: 0 })).toMatchObject(refused);
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject(refused);
    expect(await ana.send('typing', {})).toMatchObject(refused);
    expect(await ana.send('ice_config', {})).toMatchObject(refused);
    await caughtUp(bo);
    expect(bo.waiting('typingResponse')).toEqual([]);
  });
  await ana.next('room_closed');
});

test('[PRES14] who is removed while they enter is told nothing of the room', async () => {
  const ana = await t.connect(team.ana.token);
  await caughtUp(ana);
  const bo = await enterRoom(t, team.bo, 'Nord');
  let entering: ReturnType<typeof ana.send> | undefined;
  await whileHeldBack(team.ana.id, async (isWaiting) => {
    entering = ana.send('join_room', { room: 'Nord' });
    await waitUntil(isWaiting);
    await removeAna();
  });
  expect(await entering).toMatchObject({ ok: false, code: 'not_a_member' });
  await caughtUp(ana, bo);
  expect(ana.waiting('usersInThisRoom')).toEqual([]);
  expect(bo.waiting('user joined')).toEqual([]);
  await waitUntil(async () => (await activityLog(t)).includes('channel_leave Ana Nord'));
});

test.each(['leave_room', 'disconnect'] as const)(
  '[PRES11] on %s the floor is free for whoever waits before the leave is stored',
  async (way) => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
    expect(await bo.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'queued' } });
    let leaving: Promise<unknown> | undefined;
    await whileHeldBack(team.ana.id, async (isWaiting) => {
      if (way === 'leave_room') leaving = ana.send('leave_room', {});
      else ana.raw.disconnect();
      await bo.next('floor_changed', ({ talkers }) => talkers.some(({ id }) => id === bo.id));
      await waitUntil(isWaiting);
    });
    await leaving;
    expect(await bo.next('user_exit')).toEqual({ id: ana.id, channelId: team.nord });
  },
);
