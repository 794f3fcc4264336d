import type { UserId } from '@pressel/contract/ids';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { activityLog, caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { type RedisServer, startRedis } from '#test/redis-server.ts';
import { breakLink, joinResumable } from '#test/resuming.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';

describe.skipIf(!hasRedis)('[PROC22] a floor of two processes', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestCluster['processes'][0], TestCluster['processes'][0]];
  let team: Team;
  let redis: RedisServer | null = null;
  const build = async (redisUrl?: string) => {
    cluster = await buildCluster(redisUrl === undefined ? {} : { redisUrl });
    [one, two] = cluster.processes as [typeof one, typeof two];
    team = await makeTeam(one);
  };
  afterEach(async () => {
    await cluster.close();
    await redis?.stop();
    redis = null;
  });

  const press = (socket: TestSocket, seq: number) => socket.send('floor_request', { seq });
  const release = (socket: TestSocket, seq: number) => socket.send('floor_release', { seq });
  const hearsTalker = (socket: TestSocket, name: string | undefined) =>
    socket.next('floor_changed', ({ talkers }) => talkers[0]?.name === (name && `${name} Test`));
  const talksInLog = async () => (await activityLog(one)).filter((entry) => entry.startsWith('channel_talk'));

  describe('with a Redis', () => {
    beforeEach(() => build());

    test('is had by one participant, and what one of them does the others hear', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      const bo = await enterRoom(two, team.bo, 'Nord');
      expect(await press(ana, 1)).toMatchObject({ data: { type: 'granted' } });
      await hearsTalker(bo, 'Ana');
      expect(await press(bo, 1)).toMatchObject({ data: { type: 'queued', position: 1 } });
      await release(ana, 2);
      expect(await bo.next('floor_reply')).toMatchObject({ type: 'granted', seq: 1 });
      await hearsTalker(ana, 'Bo');
      await release(bo, 2);
      const { version } = await hearsTalker(ana, undefined);
      expect((await hearsTalker(bo, undefined)).version).toBe(version);
    });

    test('that several want at once is granted to one', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      const bo = await enterRoom(two, team.bo, 'Nord');
      for (let seq = 1; seq < 20; seq += 2) {
        const replies = await Promise.all([press(ana, seq), press(bo, seq)]);
        const types = replies.map((reply) => reply.ok && reply.data.type);
        expect(types.toSorted()).toEqual(['granted', 'queued']);
        const [first, second] = types[0] === 'granted' ? [ana, bo] : [bo, ana];
        await release(second, seq + 1);
        await release(first, seq + 1);
      }
    });

    test('[PROC27] each talk is one entry of the log, whichever process ends it', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      const boss = await enterRoom(two, team.admin, 'Nord');
      await press(ana, 1);
      // The press that pre-empts comes from another process than the talker's.
      expect(await press(boss, 1)).toMatchObject({ data: { type: 'granted' } });
      expect(await ana.next('floor_reply')).toMatchObject({ type: 'revoked', reason: 'preempted' });
      await release(boss, 2);
      // Each of the two processes has something to store after that.
      for (const socket of [ana, boss]) {
        await press(socket, 3);
        await release(socket, 4);
      }
      await waitUntil(async () => (await talksInLog()).length >= 4);
      const log = ['channel_talk Admin Nord', 'channel_talk Ana Nord'];
      expect((await talksInLog()).toSorted()).toEqual([log[0], ...log, log[1]].toSorted());
    });

    test('[TALK105] a page hears of the talks that it missed, wherever they were', async () => {
      const ana = await enterRoom(one, team.ana, 'Nord');
      const bo = await two.connect(team.bo.token);
      const { stay, floor } = await join(bo, 'Nord');
      await press(ana, 1);
      await release(ana, 2);
      await hearsTalker(bo, undefined);
      const asked = { stay: String(stay), version: floor.version };
      await waitUntil(async () => {
        const answer = await bo.send('talks_since', asked);
        return answer.ok && answer.data.talks?.map(({ name }) => name).join() === 'Ana Test';
      });
    });

    test('[TALK32] those outside hear of its end from a process that did not tell of its beginning', async () => {
      const outside = await two.connect(team.admin.token);
      const ana = await enterRoom(one, team.ana, 'Nord');
      const boss = await enterRoom(two, team.admin, 'Nord');
      await press(ana, 1);
      expect(await outside.next('talkers_changed')).toMatchObject({ talkers: [{ name: 'Ana Test' }] });
      await press(boss, 1);
      expect(await outside.next('talkers_changed')).toMatchObject({ talkers: [{ userId: team.admin.id }] });
      await release(boss, 2);
      expect(await outside.next('talkers_changed')).toMatchObject({ talkers: [] });
    });

    test('[PROC95] those outside end up with who talks, whichever process tells last', async () => {
      const outside = await two.connect(team.admin.token);
      await makeChannel(one, team.admin, 'Open', [team.ana.id, team.bo.id], 'open');
      const ana = await enterRoom(one, team.ana, 'Open');
      const bo = await enterRoom(two, team.bo, 'Open');
      await press(ana, 1);
      await press(bo, 1);
      await release(ana, 2);
      const isBo = ({ talkers }: { talkers: { userId: UserId }[] }) =>
        talkers.map(({ userId }) => userId).join() === team.bo.id;
      await outside.next('talkers_changed', isBo);
      // Longer than either process waits before it tells.
      const late = Date.now() + 600;
      await waitUntil(async () => Date.now() > late);
      await caughtUp(outside);
      expect(
        outside
          .waiting('talkers_changed')
          .slice(-1)
          .filter((news) => !isBo(news)),
      ).toEqual([]);
    });

    test('[PROC95] a process that stops tells those outside what waited', async () => {
      const outside = await two.connect(team.admin.token);
      const ana = await enterRoom(one, team.ana, 'Nord');
      await press(ana, 1);
      await one.stop();
      expect(await outside.next('talkers_changed')).toMatchObject({ talkers: [{ name: 'Ana Test' }] });
    });

    test('[PROC95] what a killed process told nobody outside is told when somebody of the room is back', async () => {
      const outside = await two.connect(team.admin.token);
      const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
      await press(ana, 1);
      expect(await outside.next('talkers_changed')).toMatchObject({ talkers: [{ name: 'Ana Test' }] });
      // As if the process had stored the end of the talk, and nothing more.
      const silence = `update floors set revision = revision + 1,
        state = jsonb_set(jsonb_set(state::jsonb, '{talkers}', '[]'), '{version}', to_jsonb((state::jsonb->>'version')::bigint + 1))`;
      await cluster.database.db.execute(sql.raw(silence));
      breakLink(ana);
      await joinResumable(await two.connect(team.ana.token), team.nord, ana.token);
      expect(await outside.next('talkers_changed')).toMatchObject({ talkers: [] });
    });
  });

  test('[PROC26] goes on without Redis: each process reads what the other one changed', async () => {
    redis = await startRedis();
    await build(redis?.url);
    const ana = await enterRoom(one, team.ana, 'Nord');
    const bo = await enterRoom(two, team.bo, 'Nord');
    await redis?.stop('SIGKILL');
    expect(await press(ana, 1)).toMatchObject({ data: { type: 'granted' } });
    await hearsTalker(bo, 'Ana');
    expect(await press(bo, 1)).toMatchObject({ data: { type: 'queued' } });
    await release(ana, 2);
    expect(await bo.next('floor_reply', ({ type }) => type === 'granted')).toMatchObject({ seq: 1 });
    await hearsTalker(ana, 'Bo');
    await redis?.start();
    await release(bo, 2);
    await hearsTalker(ana, undefined);
  });
});
