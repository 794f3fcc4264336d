import { deleteUserFromChannel, getAllChannels } from '@pressel/contract/channels';
import { type ClientMessageId, sendMessage } from '@pressel/contract/chat';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics } from '#src/logs/metrics-registry.ts';
import { openRedis } from '#src/processes/redis.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp } from './build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from './cluster.ts';
import { enterRoom, makeTeam, type Team } from './factories.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { breakLink, joinResumable } from './resuming.ts';
import { waitUntil } from './wait-until.ts';

describe.skipIf(!hasRedis)('two processes whose Redis goes away', () => {
  let redis: RedisServer;
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestCluster['processes'][0], TestCluster['processes'][0]];
  let team: Team;
  beforeEach(async () => {
    redis = (await startRedis()) as RedisServer;
    cluster = await buildCluster({ redisUrl: redis.url });
    [one, two] = cluster.processes as [typeof one, typeof two];
    team = await makeTeam(one);
  });
  afterEach(async () => {
    await cluster.close();
    await redis.stop('SIGKILL');
  });

  const write = (message: string) => {
    const body = { userId: team.ana.id, channelId: team.nord, message, clientId: uuidV7() as ClientMessageId };
    return one.call(sendMessage, body, team.ana.token);
  };
  const remove = () => one.call(deleteUserFromChannel, { userId: team.bo.id, channelId: team.nord }, team.admin.token);

  test('[PROC2] those of one process hear each other at once', async () => {
    const ana = await enterRoom(one, team.ana, 'Nord');
    await redis.stop('SIGKILL');
    await write('Still there?');
    expect(await ana.next('messageResponse')).toMatchObject({ textMsg: 'Still there?' });
    const admin = await enterRoom(one, team.admin, 'Nord');
    expect(await ana.next('user joined')).toMatchObject({ id: admin.id });
  });

  test('[PROC87] a process says in its metrics whether it hears the others, and how long their news took', async () => {
    const metrics = createMetrics('0.0.0-test');
    const third = await buildTestApp({ database: cluster.database, metrics, config: { redisUrl: redis.url } });
    const sampleOf = async (name: string) =>
      Number(
        (await metrics.read())
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    const isLinkedNow = async () => (await sampleOf('pressel_linked')) === 1;
    await waitUntil(isLinkedNow);
    await write('Hello');
    await waitUntil(async () => (await sampleOf('pressel_fan_out_seconds_count{process="another"}')) > 0);
    await redis.stop('SIGKILL');
    await waitUntil(async () => !(await isLinkedNow()));
    await redis.start();
    await waitUntil(isLinkedNow);
    await third.close();
  });

  test('[PROC3] a membership that ended meanwhile ends hearing at the other process', async () => {
    const bo = await enterRoom(two, team.bo, 'Nord');
    await redis.stop('SIGKILL');
    expect((await remove()).status).toBe(200);
    expect(await bo.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
  });

  test('[PROC5] what was told in between is told when it is back', async () => {
    const bo = await enterRoom(two, team.bo, 'Nord');
    await redis.stop('SIGKILL');
    const ana = await enterRoom(one, team.ana, 'Nord');
    await redis.start();
    expect(await bo.next('user joined')).toMatchObject({ id: ana.id });
  });

  test('[PROC5] clients whose process missed something are sent back, and find all as it is', async () => {
    const bo = await joinResumable(await two.connect(team.bo.token), team.nord);
    // Ana is sent back, too, and the server waits for her to resume.
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    await bo.next('user joined');
    const { client, close } = await openRedis(redis.url, 'test', pino({ enabled: false }));
    const [key = ''] = await client.keys('pressel:*:news');
    // The second of three messages never comes.
    for (const first of [1, 3]) {
      await client.xAdd(key, '*', { entry: JSON.stringify({ from: 'third', first, messages: [['none', null]] }) });
    }
    await close();
    await bo.disconnected;
    const back = await two.connect(team.bo.token);
    const again = await joinResumable(back, team.nord, bo.token);
    expect(again.state.self.id).toBe(bo.state.self.id);
    expect(again.state.participants).toMatchObject([{ id: ana.state.self.id }]);
  });

  test('[PROC11] a participant is resumed at another process, and the first one learns it', async () => {
    const bo = await joinResumable(await one.connect(team.bo.token), team.nord);
    await redis.stop('SIGKILL');
    breakLink(bo);
    const back = await joinResumable(await two.connect(team.bo.token), team.nord, bo.token);
    expect(back.state.self.id).toBe(bo.state.self.id);
    expect((await two.call(getAllChannels, {}, team.bo.token)).status).toBe(200);
  });
});
