import { deleteUserFromChannel } from '@pressel/contract/channels';
import { type ClientMessageId, sendMessage } from '@pressel/contract/chat';
import type { UserId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildCluster, hasRedis, type TestCluster } from './cluster.ts';
import { caughtUp, enterRoom, makeChannel, makeTeam, type Team } from './factories.ts';
import { connectSocket } from './socket-client.ts';

describe.skipIf(!hasRedis)('two processes', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestCluster['processes'][0], TestCluster['processes'][0]];
  let team: Team;
  /** The clock of allowances, and of the time without news. */
  let steady: number;
  beforeEach(async () => {
    steady = 1_000;
    cluster = await buildCluster({ steadyNow: () => steady });
    [one, two] = cluster.processes as [typeof one, typeof two];
    team = await makeTeam(one);
  });
  afterEach(() => cluster.close());

  const write = (message: string) => {
    const body = { userId: team.ana.id, channelId: team.nord, message, clientId: uuidV7() as ClientMessageId };
    return one.call(sendMessage, body, team.ana.token);
  };

  test('[PROC2] a message is heard once in its room, at both', async () => {
    const ana = await enterRoom(one, team.ana, 'Nord');
    const bo = await enterRoom(two, team.bo, 'Nord');
    await write('Good morning');
    expect(await ana.next('messageResponse')).toMatchObject({ textMsg: 'Good morning' });
    expect(await bo.next('messageResponse')).toMatchObject({ textMsg: 'Good morning' });
    await write('Again');
    await bo.next('messageResponse', ({ textMsg }) => textMsg === 'Again');
    expect(bo.waiting('messageResponse')).toEqual([]);
  });

  test('[PROC3] who is removed at one process hears nothing more at the other', async () => {
    const ana = await enterRoom(one, team.ana, 'Nord');
    const bo = await enterRoom(two, team.bo, 'Nord');
    await one.call(deleteUserFromChannel, { userId: team.bo.id, channelId: team.nord }, team.admin.token);
    expect(await bo.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
    await write('Between us');
    await ana.next('messageResponse');
    await caughtUp(bo);
    expect([bo.waiting('messageResponse'), bo.waiting('onSendMessage')]).toEqual([[], []]);
  });

  test('[PROC3] a change is told once to each screen', async () => {
    const [here, there] = [await one.connect(team.admin.token), await two.connect(team.admin.token)];
    await one.call(deleteUserFromChannel, { userId: team.bo.id, channelId: team.nord }, team.admin.token);
    for (const socket of [here, there]) await socket.next('changed', ({ what }) => what === 'memberships');
    // Later news comes after it.
    await makeChannel(one, team.admin, 'Est');
    for (const socket of [here, there]) {
      await socket.next('changed', ({ what }) => what === 'channels');
      expect(socket.waiting('changed')).toEqual([]);
    }
  });

  test('[PROC14] who reconnects at one process learns how long no process told anything', async () => {
    const isOf =
      (userId: UserId) =>
      ({ users }: StatusNews) =>
        users.some((user) => user.userId === userId);
    const first = await two.connect(team.ana.token);
    await first.next('onUserStatusChanged', isOf(team.ana.id));
    steady += 60_000;
    await one.connect(team.bo.token);
    // Members get the news last, after administrators.
    await first.next('onUserStatusChanged', isOf(team.bo.id));
    steady += 7_000;
    const second = await two.connect(team.ana.token);
    expect(await second.next('ready')).toEqual({ quietMs: 7_000 });
  });

  test('[PROC1] sockets come by WebSocket alone: the requests of a poll may come to another process', async () => {
    const polling = connectSocket(two.origin, team.ana.token, {
      auth: { token: team.ana.token },
      transports: ['polling'],
    });
    await expect(polling).rejects.toThrow();
  });
});
