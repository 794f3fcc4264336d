import { FLOOR_LEASE_MS, FLOOR_TICK_MS } from '@pressel/contract/limits';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { PROCESSES_LOCK } from '#src/db/locks.ts';
import type { RoomClient } from '../room-client.ts';
import { waitUntil } from '../wait-until.ts';
import { type Crowd, gather } from './crowd.ts';

/** A floor is free this soon after its talker's process was lost: the rest of a lease, and the tick that ends it. */
const FREE_MS = 3_000;

/**
 * Three processes, some of which are lost while people talk. How soon clients are back depends on the machine: `npm run bench -- loss`
 * measures it, beside servers that do nothing else.
 */
describe.skipIf(inject('redis') === null)('loss of a process', { timeout: 300_000 }, () => {
  let crowd: Crowd;
  beforeEach(async () => {
    crowd = await gather(8, { count: 3, cluster: inject('cluster') });
  });
  afterEach(() => crowd.close());

  async function ask<Row extends pg.QueryResultRow>(question: string, values: unknown[]): Promise<Row | undefined> {
    const client = new pg.Client(crowd.processes.databaseUrl);
    await client.connect();
    const { rows } = await client.query<Row>(question, values);
    await client.end();
    return rows[0];
  }
  /** How long the current talker's lease still lasts, by the clock that ends it. */
  async function leaseLeftMs(): Promise<number> {
    const lease = await ask<{ left: number }>(
      'select (due_at - extract(epoch from clock_timestamp()) * 1000)::float as left from floors where channel_id = $1',
      [crowd.channelId],
    );
    // Null: the floor is free already.
    return lease?.left ?? 0;
  }
  /** How many processes there are, as far as PostgreSQL knows. */
  const countProcesses = async () =>
    (
      await ask<{ count: number }>(
        `select count(*)::int from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and l.objid = $1 and l.granted and d.datname = current_database()`,
        [PROCESSES_LOCK],
      )
    )?.count;
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
    expect(resumed()).toBe(crowd.pages.length);
  });

  test('[PROC52] a talker whose process is killed goes on, or the floor is free within 3 s', async () => {
    const [talker, waiter] = crowd.pages as [RoomClient, RoomClient];
    for (const server of crowd.processes.servers) {
      await waitUntil(async () => (await talker.press()).type === 'granted');
      await waitUntil(() => waiter.floor().talkers.length === 1);
      const killedAt = performance.now();
      await server.stop('SIGKILL');
      expect((await leaseLeftMs()) + FLOOR_TICK_MS).toBeLessThan(FREE_MS);
      await waitUntil(() => talker.isTalking() || waiter.floor().talkers.length === 0);
      await waitUntil(() => talker.isThere() && waiter.isThere());
      // A lease and a tick later either it has the floor and everybody sees that, or it doesn't and nobody does.
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

  test('[PROC52] [PROC53] a talker whose process hangs is silent before somebody else has the floor', async () => {
    const [talker, next] = crowd.pages as [RoomClient, RoomClient];
    const gets = (page: RoomClient) =>
      waitUntil(async () => (await page.press().catch(() => null))?.type === 'granted');
    for (const server of crowd.processes.servers) {
      await gets(talker);
      server.signal('SIGSTOP');
      const stoppedAt = performance.now();
      expect((await leaseLeftMs()) + FLOOR_TICK_MS).toBeLessThan(FREE_MS);
      const taken = gets(next);
      const isPast = () => performance.now() - stoppedAt > FLOOR_LEASE_MS + FLOOR_TICK_MS;
      await waitUntil(() => !talker.isTalking() || isPast());
      // The talker is at another process, and would go on.
      if (talker.isTalking()) await talker.release();
      await taken;
      // The lease ended although PostgreSQL noticed nothing, as it doesn't at first if a machine dies without a word.
      expect(await countProcesses()).toBe(3);
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
  });
});
