import { setTimeout as sleep } from 'node:timers/promises';
import { deleteUserFromChannel } from '@pressel/contract/channels';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { callAt, enterAsPage, type Member, messagesAt, type RoomClient, sendTextAt } from '../room-client.ts';
import { waitUntil } from '../wait-until.ts';
import { type Crowd, gather } from './crowd.ts';

describe.skipIf(inject('redis') === null)('Redis', { timeout: 300_000 }, () => {
  let crowd: Crowd;
  beforeEach(async () => {
    crowd = await gather(8, { count: 3, cluster: inject('cluster') });
  });
  afterEach(() => crowd.close());

  test('[PROC54] killed, and back empty: talks go on meanwhile, and afterwards all is as before', async () => {
    crowd.begin();
    await waitUntil(() => crowd.granted() > 5);
    const { redis } = crowd.processes;
    await redis.stop('SIGKILL');
    const before = crowd.granted();
    const sent = crowd.sent();
    await waitUntil(() => crowd.granted() > before + 10);
    await waitUntil(() => crowd.sent() > sent + 10);
    await redis.start();
    const then = crowd.granted();
    await waitUntil(() => crowd.granted() > then + 10);
    await crowd.end();
    await crowd.check();
    expect(crowd.refused()).toEqual([]);
  });

  test('[PROC54] without Redis a talk at one process is seen at every other', async () => {
    await crowd.processes.redis.stop('SIGKILL');
    const [talker, ...others] = crowd.pages as [RoomClient, ...RoomClient[]];
    for (let round = 0; round < 3; round += 1) {
      expect(await talker.press()).toMatchObject({ type: 'granted' });
      await waitUntil(() => others.every((page) => page.floor().talkers[0] === talker.id));
      await talker.release();
      await waitUntil(() => others.every((page) => page.floor().talkers.length === 0));
    }
    await crowd.end();
    await crowd.check();
  });

  test('[PROC55] out of reach for one process only: its people talk and hear, too', async () => {
    crowd.begin();
    await waitUntil(() => crowd.granted() > 5);
    for (const server of crowd.processes.servers) {
      server.reachesRedis(false);
      const before = crowd.granted();
      await waitUntil(() => crowd.granted() > before + 10);
      server.reachesRedis(true);
    }
    await crowd.end();
    await crowd.check();
    expect(crowd.refused()).toEqual([]);
  });

  test('[PROC56] a membership that ended while Redis was away ended at every process', async () => {
    const [admin, ...others] = crowd.members as [Member, ...Member[]];
    const { origin } = crowd.processes;
    await crowd.processes.redis.stop('SIGKILL');
    const gone = others.slice(0, 4);
    for (const { id } of gone) {
      await callAt(origin, deleteUserFromChannel, { userId: id, channelId: crowd.channelId }, admin.token);
    }
    const pagesOf = (list: readonly Member[]) =>
      crowd.pages.filter(({ userId }) => list.some(({ id }) => id === userId));
    await waitUntil(() => pagesOf(gone).every((page) => page.of('room_closed').length > 0));
    await crowd.processes.redis.start();
    // Pages of another process that missed it come back, and see who is there.
    await waitUntil(() =>
      pagesOf(others.slice(4)).every((page) =>
        page.others().every((id) => !pagesOf(gone).some((one) => one.id === id)),
      ),
    );
    // New messages reach only those who are in the room.
    await sendTextAt(origin, others[5] as Member, crowd.channelId, 'Between us');
    await waitUntil(() => pagesOf(others.slice(4)).every((page) => page.of('messageResponse').length === 1));
    expect(pagesOf(gone).flatMap((page) => page.of('messageResponse'))).toEqual([]);
  });

  test('[PROC57] a message that was told while Redis was away is found by everybody, and told to nobody twice', async () => {
    const { origin, redis } = crowd.processes;
    const writer = crowd.members[1] as Member;
    await redis.stop('SIGKILL');
    const message = await sendTextAt(origin, writer, crowd.channelId, 'While you were out');
    await redis.start();
    // Each page was told to look again, or has the message.
    await waitUntil(() =>
      crowd.pages.every(
        (page) => page.of('messageResponse').length + page.of('ready').length + page.of('changed').length > 0,
      ),
    );
    expect(await messagesAt(origin, writer.token, crowd.channelId)).toMatchObject([{ id: message.id }]);
    await sendTextAt(origin, writer, crowd.channelId, 'Now');
    await waitUntil(() =>
      crowd.pages.every((page) => page.of<{ number: number }>('messageResponse').some(({ number }) => number === 2)),
    );
    await crowd.check();
  });

  test('[PROC54] a Redis that takes nothing in is as one that is away', async () => {
    const { createClient } = await import('@redis/client');
    const client = createClient({ url: crowd.processes.redis.url });
    await client.connect();
    await client.configSet('maxmemory', '1');
    crowd.begin();
    const before = crowd.granted();
    await waitUntil(() => crowd.granted() > before + 10);
    await client.configSet('maxmemory', '0');
    await client.close();
    const then = crowd.granted();
    await waitUntil(() => crowd.granted() > then + 10);
    await crowd.end();
    await crowd.check();
    expect(await Promise.all(crowd.processes.servers.map((server) => server.stop('SIGTERM')))).toEqual([0, 0, 0]);
  });

  test('nobody enters a process twice when it loses Redis again and again', async () => {
    const late = await enterAsPage(() => crowd.processes.origin, crowd.members[1] as Member, crowd.channelId);
    crowd.begin();
    for (let round = 0; round < 10; round += 1) {
      for (const server of crowd.processes.servers) server.reachesRedis(round % 2 === 1);
      await sleep(300);
    }
    for (const server of crowd.processes.servers) server.reachesRedis(true);
    await crowd.end();
    await crowd.check();
    expect(new Set(late.others())).toEqual(new Set(crowd.pages.map(({ id }) => id)));
    late.close();
  });
});
