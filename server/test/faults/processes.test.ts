import { FLOOR_LEASE_MS, FLOOR_TICK_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { RoomClient } from '../room-client.ts';
import { waitUntil } from '../wait-until.ts';
import { type Crowd, gather } from './crowd.ts';

/** Within this a floor is free after its talker's process was lost. */
const FREE_MS = 3_000;
/** Within this clients are back. On a machine that is busy with other tests everything takes longer: the bench tells how long. */
const BACK_MS = 2_000;
const SLACK_MS = 4_000;

/** Three processes, of which some are lost while people talk. */
describe.skipIf(inject('redis') === null)('loss of a process', { timeout: 300_000 }, () => {
  let crowd: Crowd;
  beforeEach(async () => {
    crowd = await gather(8, { count: 3, cluster: inject('cluster') });
  });
  afterEach(() => crowd.close());

  const slowest = () => Math.max(0, ...crowd.pages.flatMap(({ returns }) => returns));
  const resumed = () => crowd.pages.filter(({ ids }) => ids.size === 1).length;

  test('[PROC52] a process that is killed costs nobody their place, and the room goes on', async () => {
    crowd.begin();
    await waitUntil(() => crowd.granted() > 10);
    for (const server of crowd.processes.servers) {
      await server.stop('SIGKILL');
      const before = crowd.granted();
      await waitUntil(() => crowd.granted() > before + 5);
      await server.start();
    }
    await crowd.end();
    await crowd.check();
    expect(slowest()).toBeLessThan(BACK_MS + SLACK_MS);
    expect(resumed()).toBe(crowd.pages.length);
  });

  test('[PROC52] a talker whose process is killed goes on, or the floor is free within 3 s', async () => {
    const [talker, waiter] = crowd.pages as [RoomClient, RoomClient];
    for (const server of crowd.processes.servers) {
      await waitUntil(async () => (await talker.press()).type === 'granted');
      await waitUntil(() => waiter.floor().talkers.length === 1);
      const killedAt = performance.now();
      await server.stop('SIGKILL');
      const freed = waitUntil(() => talker.isTalking() || waiter.floor().talkers.length === 0);
      await freed;
      expect(performance.now() - killedAt).toBeLessThan(FREE_MS + SLACK_MS);
      await waitUntil(() => talker.isThere() && waiter.isThere());
      // A lease and a tick later it has the floor by its own account and by everybody's, or by nobody's.
      await waitUntil(() => performance.now() - killedAt > FLOOR_LEASE_MS + 2 * FLOOR_TICK_MS);
      await waitUntil(() => talker.isTalking() === (waiter.floor().talkers[0] === talker.id));
      await talker.release();
      await server.start();
    }
    await crowd.end();
    await crowd.check();
  });

  test('[PROC53] a process that hangs is left by its clients', async () => {
    crowd.begin();
    await waitUntil(() => crowd.granted() > 5);
    const [server] = crowd.processes.servers;
    server?.signal('SIGSTOP');
    const before = crowd.granted();
    await waitUntil(() => crowd.granted() > before + 10);
    await waitUntil(() => crowd.pages.every((page) => page.isThere()));
    server?.signal('SIGCONT');
    const then = crowd.granted();
    await waitUntil(() => crowd.granted() > then + 10);
    await crowd.end();
    await crowd.check();
  });

  test('[PROC53] a talker whose process hangs is silent before somebody else has the floor', async () => {
    const [talker, next] = crowd.pages as [RoomClient, RoomClient];
    const gets = (page: RoomClient) =>
      waitUntil(async () => (await page.press().catch(() => null))?.type === 'granted');
    for (const server of crowd.processes.servers) {
      await gets(talker);
      server.signal('SIGSTOP');
      const stoppedAt = performance.now();
      const taken = gets(next);
      const isPast = () => performance.now() - stoppedAt > FLOOR_LEASE_MS + FLOOR_TICK_MS;
      await waitUntil(() => !talker.isTalking() || isPast());
      // It is at another process, and would go on.
      if (talker.isTalking()) await talker.release();
      await taken;
      await next.release();
      server.signal('SIGCONT');
      await waitUntil(() => talker.isThere() && next.isThere());
    }
    await crowd.end();
    await crowd.check();
  });

  test('[PROC51] three processes are restarted in turn: every call is answered, and nobody loses their place', async () => {
    crowd.begin();
    await waitUntil(() => crowd.granted() > 5);
    const ends: (number | string)[] = [];
    for (const server of crowd.processes.servers) {
      ends.push(await server.stop('SIGTERM'));
      await server.start();
      const before = crowd.granted();
      await waitUntil(() => crowd.granted() > before + 5);
    }
    await crowd.end();
    await crowd.check();
    expect(ends).toEqual([0, 0, 0]);
    expect(crowd.refused()).toEqual([]);
    expect(resumed()).toBe(crowd.pages.length);
    expect(slowest()).toBeLessThan(BACK_MS + SLACK_MS);
  });
});
