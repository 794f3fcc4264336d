import { randomUUID } from 'node:crypto';
import { connectAdminToChannel } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { updateUserMicState } from '@pressel/contract/voice';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { userSockets } from '#src/db/schema/presence.ts';
import { outbox } from '#src/db/schema/server.ts';
import type { Person, TestApp } from './build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from './cluster.ts';
import { caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from './factories.ts';
import { breakLink, joinResumable } from './resuming.ts';
import { waitUntil } from './wait-until.ts';

const RESUME_MS = 1_000;

describe.skipIf(!hasRedis)('presence over two processes', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestCluster['processes'][0], TestCluster['processes'][0]];
  let team: Team;
  beforeEach(async () => {
    cluster = await buildCluster({ resumeMs: RESUME_MS });
    [one, two] = cluster.processes as [typeof one, typeof two];
    team = await makeTeam(one);
  });
  afterEach(() => cluster.close());

  const rowsOf = (userId: string) =>
    cluster.database.db.select().from(userSockets).where(eq(userSockets.userId, userId));

  test('[PROC10] who enters by one process finds, and is told to, who is there by another', async () => {
    const ana = await enterRoom(one, team.ana, 'Nord');
    const bo = await enterRoom(two, team.bo, 'Nord');
    expect(bo.state.participants).toMatchObject([{ id: ana.id }]);
    expect(await ana.next('user joined')).toMatchObject({ id: bo.id });
    await bo.send('leave_room', {});
    expect(await ana.next('user_exit')).toEqual({ id: bo.id, channelId: team.nord });
  });

  test('[PROC66] a user whose first two devices come at once by two processes is told of as connected once', async () => {
    const admin = await one.connect(team.admin.token);
    await caughtUp(admin);
    const isOf =
      (id: UserId) =>
      ({ userIds }: { userIds: UserId[] }) =>
        userIds.includes(id);
    const connectAt = async (person: Person, processes: TestApp[]) => {
      const devices = await Promise.all(processes.map((process) => process.connect(person.token)));
      await caughtUp(...devices);
      await admin.next('userConnected', isOf(person.id));
      for (const device of devices) device.close();
      await waitUntil(async () => (await rowsOf(person.id)).length === 0);
    };
    for (let round = 0; round < 8; round += 1) await connectAt(team.ana, [one, two]);
    // Each process has sent everything before this.
    for (const process of [one, two]) await connectAt(team.out, [process]);
    expect(admin.waiting('userConnected').filter(isOf(team.ana.id))).toEqual([]);
  });

  test('[PROC10] of two who enter at once by two processes exactly one finds the other, who is told', async () => {
    for (let round = 0; round < 10; round += 1) {
      const sockets = await Promise.all([one.connect(team.ana.token), two.connect(team.bo.token)]);
      const answers = await Promise.all(sockets.map((socket) => joinResumable(socket, team.nord)));
      const found = answers.map(({ state }) => state.participants.length);
      expect(found.toSorted()).toEqual([0, 1]);
      const first = answers[found.indexOf(0)];
      const second = answers[found.indexOf(1)];
      expect(await first?.next('user joined')).toMatchObject({ id: second?.state.self.id });
      await Promise.all(answers.map((socket) => socket.send('leave_room', {})));
      for (const socket of answers) socket.close();
    }
  });

  test('[PROC11] a participant is resumed at another process, and the first one forgets it without a word', async () => {
    const bo = await enterRoom(one, team.bo, 'Nord');
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    breakLink(ana);
    await bo.next('participant_changed', ({ silent }) => silent === true);
    const back = await joinResumable(await two.connect(team.ana.token), team.nord, ana.token);
    expect(back.state.self.id).toBe(ana.id);
    expect(back.state.participants).toMatchObject([{ id: bo.id }]);
    expect(await bo.next('participant_changed')).not.toHaveProperty('silent');
    // Waits longer than the first process would have waited for it.
    const late = Date.now() + 2 * RESUME_MS;
    await waitUntil(async () => Date.now() > late);
    await caughtUp(bo);
    expect(bo.waiting('user_exit')).toEqual([]);
    expect(await rowsOf(team.ana.id)).toMatchObject([{ socketId: ana.id, channelId: team.nord, isSilent: false }]);
    // Now to the first process again.
    breakLink(back);
    const again = await joinResumable(await one.connect(team.ana.token), team.nord, back.token);
    expect(again.state.self.id).toBe(ana.id);
    await bo.send('typing', {});
    expect(await again.next('typingResponse')).toMatchObject({ channelId: team.nord });
  });

  test('[PROC11] also where the answer of the other process never came', async () => {
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    const there = await joinResumable(await two.connect(team.ana.token), team.nord, ana.token);
    await ana.disconnected;
    breakLink(there);
    const back = await joinResumable(await one.connect(team.ana.token), team.nord, ana.token);
    expect(back.state.self.id).toBe(ana.id);
    expect(await rowsOf(team.ana.id)).toMatchObject([{ socketId: ana.id, channelId: team.nord }]);
  });

  test('[PROC11] nobody is told of one that was taken over before its link was lost, nor when its old socket says goodbye', async () => {
    const bo = await enterRoom(one, team.bo, 'Nord');
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    const back = await joinResumable(await two.connect(team.ana.token), team.nord, ana.token);
    ana.close();
    expect(back.state.self.id).toBe(ana.id);
    await back.send('floor_request', { seq: 1 });
    await bo.next('floor_changed', ({ talkers }) => talkers.some(({ id }) => id === ana.id));
    await caughtUp(bo, back);
    expect([bo.waiting('user_exit'), bo.waiting('participant_changed')]).toEqual([[], []]);
  });

  test('[PROC11] the socket that the first process still has is closed', async () => {
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    const back = await joinResumable(await two.connect(team.ana.token), team.nord, ana.token);
    expect(back.state.self.id).toBe(ana.id);
    await ana.disconnected;
    expect(await rowsOf(team.ana.id)).toMatchObject([{ socketId: ana.id, channelId: team.nord }]);
  });

  test('[PROC11] who was told to be gone comes back as somebody else', async () => {
    const bo = await enterRoom(two, team.bo, 'Nord');
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    breakLink(ana);
    await bo.next('user_exit', ({ id }) => id === ana.id);
    const back = await joinResumable(await two.connect(team.ana.token), team.nord, ana.token);
    expect(back.state.self.id).not.toBe(ana.id);
  });

  test('[PROC13] a call about a socket is answered by the process that holds it', async () => {
    const ana = await one.connect(team.ana.token);
    const report = (micState: boolean) =>
      two.call(updateUserMicState, { userId: team.ana.id, micState, channelName: 'Nord' }, team.ana.token);
    expect((await report(true)).body).toMatchObject({ code: 'not_in_room' });
    await joinResumable(ana, team.nord);
    expect((await report(true)).body.floor).toMatchObject({ type: 'granted' });
    expect((await report(false)).body.floor).toMatchObject({ type: 'released' });
    const admin = await two.connect(team.admin.token);
    const enter = (channelId: ChannelId, person = team.admin) =>
      one.call(
        connectAdminToChannel,
        { userId: person.id, channelId, socketId: admin.id as ParticipantId },
        person.token,
      );
    expect((await enter(team.nord)).body).toEqual({ success: true });
    expect(await ana.next('user joined')).toMatchObject({ id: admin.id });
    expect((await enter(team.nord, team.ana)).body).toMatchObject({ code: 'not_found' });
    const gone = '0190b4d8-0000-7000-8000-000000000001' as ChannelId;
    expect((await enter(gone)).body).toMatchObject({ code: 'not_found', params: { what: 'channel' } });
  });

  test('[PROC13] a microphone is reported for the newest of a user’s participants, wherever they are', async () => {
    await makeChannel(one, team.admin, 'Open', [team.ana.id], 'open');
    const report = (at: TestApp, micState: boolean) =>
      at.call(updateUserMicState, { userId: team.ana.id, micState, channelName: 'Open' }, team.ana.token);
    const older = await enterRoom(one, team.ana, 'Open');
    const newer = await enterRoom(two, team.ana, 'Open');
    const admin = await enterRoom(one, team.admin, 'Open');
    const talkers = async (count: number) =>
      (await admin.next('floor_changed', (floor) => floor.talkers.length === count)).talkers.map(
        ({ id }) => id as string,
      );
    expect((await report(one, true)).body.floor).toMatchObject({ type: 'granted' });
    expect(await talkers(1)).toEqual([newer.id]);
    expect((await report(two, false)).body.floor).toMatchObject({ type: 'released' });
    await talkers(0);
    newer.close();
    await waitUntil(async () => (await rowsOf(team.ana.id)).length === 1);
    expect((await report(two, true)).body.floor).toMatchObject({ type: 'granted' });
    expect(await talkers(1)).toEqual([older.id]);
  });

  test('[PROC96] an earlier removal that is heard late puts nobody out who was added again since', async () => {
    const ana = await two.connect(team.ana.token);
    await caughtUp(ana);
    // As another process stores them, without its notice: this process hears of them when it looks.
    const fact = (isMember: boolean) => ({
      ...{ origin: randomUUID(), fact: 'membershipsChanged' },
      news: { changes: [{ userId: team.ana.id, channelId: team.nord, isMember }] },
    });
    await cluster.database.db.insert(outbox).values([fact(false), fact(true)]);
    await join(ana, 'Nord');
    // By the end of this call the process has heard all facts before it.
    await makeChannel(two, team.admin, 'Est');
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ data: { type: 'granted' } });
    expect(ana.waiting('room_closed')).toEqual([]);
  });

  test('[PROC12] a newcomer is told of who is silent at another process', async () => {
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    breakLink(ana);
    await waitUntil(async () => (await rowsOf(team.ana.id))[0]?.isSilent === true);
    const bo = await enterRoom(two, team.bo, 'Nord');
    expect(bo.state.participants).toMatchObject([{ id: ana.id, silent: true }]);
  });
});
