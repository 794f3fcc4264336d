import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { openBalancer } from '#test/balancer.ts';
import { hasRedis } from '#test/cluster.ts';
import { follow, promote, type RedisServer, startRedis, tellRedis } from '#test/redis-server.ts';
import { count, numbers, startRelays, type TestRelays } from '#test/relays.ts';
import { waitUntil } from '#test/wait-until.ts';

describe.skipIf(!hasRedis)('the relay', () => {
  let relays: TestRelays;
  let server: RedisServer;
  beforeEach(async () => {
    relays = await startRelays();
    server = relays.server;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await relays.close();
  });
  const open = (url?: string) => relays.open(url);

  test('[PROC2] tells all others, in order, once, and oneself nothing', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    count(one.relay, 1, 2_000);
    for (const { heard } of [two, three]) {
      await waitUntil(() => heard.length >= 2_000);
      expect(heard).toEqual(numbers(1, 2_000));
    }
    two.relay.send('another topic', 1);
    two.relay.send('a', 'last');
    await waitUntil(() => one.heard.length > 0);
    expect([one.heard, one.missed, two.missed]).toEqual([['last'], [], []]);
  });

  test('[PROC90] what is said in one turn of the event loop is one entry, however idle the relay was', async () => {
    const [one, two] = [await open(), await open()];
    const { client, prefix } = one.redis;
    count(one.relay, 1, 3);
    const about = async () => {
      const entries = (await client.xRange(`${prefix}news`, '-', '+')) ?? [];
      return entries.filter(({ message }) => String(message.entry).includes('["a",'));
    };
    await waitUntil(async () => two.heard.length === 3 && (await about()).length > 0);
    expect(await about()).toHaveLength(1);
    expect(two.heard).toEqual([1, 2, 3]);
  });

  test('[PROC87] says how long a message was on its way, by one clock', async () => {
    const [one, two] = [await open(), await open()];
    const delays: (number | null)[] = [];
    two.relay.on('timed', z.unknown(), (_message, afterMs) => void delays.push(afterMs));
    const start = performance.now();
    one.relay.send('timed', 1);
    await waitUntil(() => delays.length === 1);
    const [delay] = delays;
    expect(delay).toBeGreaterThanOrEqual(0);
    // It depends on two measurements of the clock, each as good as half of its round trip.
    expect(delay).toBeLessThan(performance.now() - start + 1_000);
    // A message of a version that doesn't send the time.
    await one.redis.client.xAdd(`${one.redis.prefix}news`, '*', {
      entry: JSON.stringify({ from: 'older', first: 1, messages: [['timed', 2]] }),
    });
    await waitUntil(() => delays.length === 2);
    expect(delays[1]).toBeNull();
  });

  test('[PROC5] what was said while Redis was cut off for a moment is told afterwards, and nobody missed anything', async () => {
    const [one, two] = [await open(), await open()];
    count(one.relay, 1, 10);
    await waitUntil(() => two.heard.length === 10);
    const admin = await one.redis.connect();
    await admin.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
    count(one.relay, 11, 500);
    await waitUntil(() => two.heard.length === 500);
    expect([two.heard, two.missed]).toEqual([numbers(1, 500), []]);
  });

  test('[PROC5] a Redis that comes back empty loses nothing that waited for it', async () => {
    const [one, two] = [await open(), await open()];
    count(one.relay, 1, 10);
    await waitUntil(() => two.heard.length === 10);
    await server.stop('SIGKILL');
    count(one.relay, 11, 20);
    await server.start();
    one.relay.send('a', 'after');
    await waitUntil(() => two.heard.at(-1) === 'after');
    expect([two.heard, two.missed]).toEqual([[...numbers(1, 20), 'after'], []]);
  });

  test('[PROC5] what a Redis forgot before everybody had read it is noticed', async () => {
    const [one, two] = [await open(), await open()];
    count(one.relay, 1, 10);
    await waitUntil(() => two.heard.length === 10);
    const [key = ''] = await one.redis.client.keys('*');
    const entry = JSON.stringify({ from: 'third', first: 1, messages: [['a', 'third']] });
    await one.redis.client.xAdd(key, '*', { entry });
    await waitUntil(() => two.heard.length === 11);
    // The third process's second message is lost.
    await one.redis.client.xAdd(key, '*', { entry: entry.replace('"first":1', '"first":3') });
    await waitUntil(() => two.heard.length === 12 && one.heard.length === 2);
    expect([two.missed, one.missed]).toEqual([[11], [1]]);
  });

  test('[PROC5] what waited too long is not told, and the others notice', async () => {
    const [one, two] = [await open(), await open()];
    count(one.relay, 1, 1);
    await waitUntil(() => two.heard.length === 1);
    await one.redis.client.configSet('maxmemory', '1');
    // Redis answers, but stores nothing any more.
    for (let round = 0; round < 30; round += 1) count(one.relay, 2, 1_000);
    // The messages are written at the end of this turn.
    await one.redis.client.ping();
    await one.redis.client.configSet('maxmemory', '0');
    one.relay.send('a', 'after');
    await waitUntil(() => two.heard.at(-1) === 'after');
    expect(two.missed).toEqual([1]);
  });

  describe('[PROC100] at an address that leads to the replica by now', () => {
    let replica: RedisServer;
    let primary: RedisServer;
    beforeEach(async () => {
      replica = (await startRedis(server)) as RedisServer;
      primary = server;
    });
    afterEach(() => replica.stop('SIGKILL'));
    /** An address of its own for a process. */
    const openWay = async () => {
      const way = await openBalancer(() => [primary.port], { asks: false });
      relays.onClose(way.close);
      return { ...(await open(way.origin.replace('http:', 'redis:'))), cut: way.cut };
    };
    /** @returns how many entries a server has */
    const length = async (of: RedisServer) => Number(await tellRedis(of, ['XLEN', 'pressel:test:news']));

    test('reads on, although the newest entries are missing there, and tells nothing twice', async () => {
      const [one, two] = [await openWay(), await openWay()];
      count(one.relay, 1, 10);
      await waitUntil(async () => two.heard.length === 10 && (await length(replica)) === (await length(server)));
      await promote(replica);
      count(one.relay, 11, 20);
      await waitUntil(() => two.heard.length === 20);
      expect(await length(replica)).toBeLessThan(await length(server));
      primary = replica;
      for (const { cut } of [one, two]) cut();
      one.relay.send('a', 'after');
      await waitUntil(() => two.heard.at(-1) === 'after');
      expect([two.heard, two.missed]).toEqual([[...numbers(1, 20), 'after'], []]);
    });

    test('notices what was only written to the other one', async () => {
      const [one, two] = [await openWay(), await openWay()];
      count(one.relay, 1, 10);
      await waitUntil(async () => two.heard.length === 10 && (await length(replica)) === (await length(server)));
      await promote(replica);
      // The second process hears nothing of it.
      primary = replica;
      two.cut();
      await waitUntil(() => two.relay.isLinked());
      const before = await length(server);
      count(one.relay, 11, 20);
      await waitUntil(async () => (await length(server)) > before);
      // By this answer the first process has that of its write, too.
      await one.redis.client.ping();
      one.cut();
      one.relay.send('a', 'after');
      await waitUntil(() => two.heard.at(-1) === 'after');
      expect([two.heard, two.missed]).toEqual([[...numbers(1, 10), 'after'], [10]]);
    });

    test('goes there too if the other one, which only follows by now, keeps its connections', async () => {
      const [one, two] = [await openWay(), await openWay()];
      count(one.relay, 1, 10);
      await waitUntil(async () => two.heard.length === 10 && (await length(replica)) === (await length(server)));
      primary = replica;
      await promote(replica);
      await follow(server, replica);
      count(one.relay, 11, 20);
      count(two.relay, 1, 10);
      await waitUntil(() => one.heard.length === 10 && two.heard.length === 20);
      expect([two.heard, one.heard]).toEqual([numbers(1, 20), numbers(1, 10)]);
      expect([one.missed, two.missed]).toEqual([[], []]);
    });
  });

  describe('[PROC104] of a Redis that has lost its replicas', () => {
    const needReplicas = (count: number) =>
      tellRedis(server, ['CONFIG', 'SET', 'min-replicas-to-write', String(count)]);
    test('ends its connections more and more rarely while writes are refused', async () => {
      const redis = await relays.openRedis();
      let time = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => time);
      const refuse = async (code: string): Promise<boolean> => {
        const { promise: again, resolve } = Promise.withResolvers<void>();
        redis.client.once('ready', resolve);
        redis.writeFailed(new Error(`${code} Refused`));
        const isKept = await redis.client.ping().then(
          () => true,
          () => false,
        );
        if (isKept) redis.client.off('ready', resolve);
        else await again;
        return isKept;
      };
      const givenUp: number[] = [];
      for (; time < 100_000; time += 1_000) if (!(await refuse('NOREPLICAS'))) givenUp.push(time / 1_000);
      expect(givenUp).toEqual([0, 2, 6, 14, 30, 60, 90]);
      expect(await refuse('READONLY')).toBe(false);
      time += 1_000;
      redis.wrote();
      expect(await refuse('READONLY')).toBe(false);
      expect(relays.logged).toEqual([]);
    });

    test('counts the ends of its own connections as no losses', async () => {
      const [one, two] = [await open(), await open()];
      await needReplicas(1);
      let isBack = false;
      one.redis.client.on('ready', () => {
        isBack = true;
      });
      one.relay.send('a', 'lost');
      await waitUntil(() => isBack);
      await needReplicas(0);
      one.relay.send('a', 'after');
      await waitUntil(() => two.heard.at(-1) === 'after');
      expect(relays.logged).toContain('relay_not_written');
      expect(relays.logged).not.toContain('redis_away');
    });
  });

  test('ends though Redis takes nothing any more', async () => {
    const one = await open();
    await one.redis.client.configSet('maxmemory', '1');
    count(one.relay, 1, 10);
    await one.relay.close();
  });
});
