import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBalancer } from '#test/balancer.ts';
import { hasRedis } from '#test/cluster.ts';
import { tellRedis } from '#test/redis-server.ts';
import { count, numbers, startRelays, type TestRelays } from '#test/relays.ts';
import { waitUntil } from '#test/wait-until.ts';

/** The relay's pause between two readings. */
const PACE_MS = 100;

describe.skipIf(!hasRedis)('[PROC116] early news', () => {
  let relays: TestRelays;
  beforeEach(async () => {
    relays = await startRelays();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await relays.close();
  });

  /** Two of which each follows what the other tells early. */
  async function openBoth() {
    const [one, two] = [await relays.open(), await relays.open()];
    await waitUntil(async () => (await one.redis.client.pubSubChannels('*')).length === 2);
    return { one, two };
  }
  const now = performance.now.bind(performance);
  /** @param byMs how far the clock is ahead of the real one from now on */
  function moveClock(byMs: number) {
    vi.spyOn(performance, 'now').mockImplementation(() => now() + byMs);
  }
  const readings = async (): Promise<number> => {
    const stats = await tellRedis(relays.server, ['INFO', 'commandstats']);
    return Number(/cmdstat_xread:calls=(\d+)/u.exec(stats)?.[1] ?? 0);
  };

  test('go out while an earlier entry is still being written, and are told once', async () => {
    const { one, two } = await openBoth();
    const written = Promise.withResolvers<string>();
    vi.spyOn(one.redis.client, 'xAdd').mockReturnValueOnce(written.promise as never);
    one.relay.send('a', 1);
    await waitUntil(() => two.heard.length === 1);
    one.relay.send('a', 2);
    await waitUntil(() => two.heard.length === 2);
    written.resolve('0-1');
    count(one.relay, 3, 4);
    await waitUntil(() => two.heard.length === 4);
    expect([two.heard, two.missed]).toEqual([numbers(1, 4), []]);
  });

  test.for([0, 20_000])('that got lost are read from the stream, in order (%i ms after the start)', async (afterMs) => {
    const { one, two } = await openBoth();
    moveClock(afterMs);
    const lose = vi.spyOn(one.redis.client, 'publish');
    for (const number of numbers(1, 9)) {
      if (number % 3 === 0) lose.mockResolvedValueOnce(0);
      one.relay.send('a', number);
      await waitUntil(() => two.heard.length === number);
    }
    lose.mockResolvedValueOnce(0);
    one.relay.send('a', 10);
    await one.redis.client.ping();
    count(one.relay, 11, 20);
    await waitUntil(() => two.heard.length === 20);
    expect([two.heard, two.missed]).toEqual([numbers(1, 20), []]);
  });

  test('are not told again after more than a minute without Redis', async () => {
    const one = await relays.open();
    const intervals = vi.spyOn(globalThis, 'setInterval');
    let isReachable = true;
    const way = await openBalancer(() => (isReachable ? [relays.server.port] : []), { asks: false });
    relays.onClose(way.close);
    const two = await relays.open(way.origin.replace('http:', 'redis:'));
    const marks = intervals.mock.calls.filter(([, ms]) => ms === 5_000).map(([mark]) => mark as () => void);
    await waitUntil(async () => (await one.redis.client.pubSubChannels('*')).length === 2);
    moveClock(20_000);
    count(one.relay, 1, 1);
    await waitUntil(() => two.heard.length === 1);
    // The second one rests, so it has not read this from the stream yet.
    count(one.relay, 2, 2);
    await waitUntil(() => two.heard.length === 2);
    isReachable = false;
    way.cut();
    await waitUntil(() => !two.relay.isLinked());
    moveClock(90_000);
    for (const mark of marks) mark();
    isReachable = true;
    await waitUntil(() => two.relay.isLinked());
    count(one.relay, 3, 3);
    await waitUntil(() => two.heard.at(-1) === 3);
    expect([two.heard, two.missed]).toEqual([[1, 2, 3], []]);
  });

  test('need few readings of the stream', async () => {
    const { one, two } = await openBoth();
    moveClock(20_000);
    // Readings that have begun take what comes next without a pause.
    count(one.relay, 1, 1);
    await waitUntil(() => two.heard.length === 1);
    const [before, start] = [await readings(), performance.now()];
    for (const number of numbers(2, 40)) {
      one.relay.send('a', number);
      await waitUntil(() => two.heard.length === number);
    }
    const pauses = (performance.now() - start) / PACE_MS;
    expect((await readings()) - before).toBeLessThanOrEqual(2 * (pauses + 2));
    expect(two.missed).toEqual([]);
  });

  /** From now on pauses between readings don't end by themselves. Returns how many there were. */
  function endlessPauses(): () => number {
    const wait = globalThis.setTimeout;
    const asked = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((work: () => void, ms?: number) =>
        wait(ms === PACE_MS ? () => undefined : work, ms)) as typeof setTimeout);
    return () => asked.mock.calls.filter(([, ms]) => ms === PACE_MS).length;
  }

  test.each([
    ['one is missing', 1, 3],
    ['there are too many for one entry', 0, 600],
  ])('end the pause of a reader at once if %s', async (_why, lost, last) => {
    const { one, two } = await openBoth();
    const pauses = endlessPauses();
    moveClock(20_000);
    count(one.relay, 1, 1);
    await waitUntil(() => pauses() >= 2 && two.heard.length === 1);
    if (lost > 0) vi.spyOn(one.redis.client, 'publish').mockResolvedValueOnce(0);
    count(one.relay, 2, 1 + lost);
    await one.redis.client.ping();
    count(one.relay, 2 + lost, last);
    await waitUntil(() => two.heard.length === last);
    expect([two.heard, two.missed]).toEqual([numbers(1, last), []]);
  });

  test.each([
    ['is of an earlier version', ''],
    ['may not publish', '-publish'],
    ['may not be followed', '-subscribe'],
  ])('of a process that %s are read without pauses', async (_what, refused) => {
    if (refused !== '') await tellRedis(relays.server, ['ACL', 'SETUSER', 'default', refused]);
    const [one, two] = [await relays.open(), await relays.open()];
    const tell = async (number: number) => {
      const entry = JSON.stringify({ from: 'older', first: number, messages: [['a', number]] });
      if (refused === '') await one.redis.client.xAdd(`${one.redis.prefix}news`, '*', { entry });
      else one.relay.send('a', number);
      await waitUntil(() => two.heard.length === number);
    };
    await tell(1);
    moveClock(20_000);
    await tell(2);
    endlessPauses();
    for (const number of numbers(3, 6)) await tell(number);
    expect([two.heard, two.missed]).toEqual([numbers(1, 6), []]);
  });

  test('that Redis refuses are news as before', async () => {
    const { one, two } = await openBoth();
    await tellRedis(relays.server, ['ACL', 'SETUSER', 'default', 'resetchannels']);
    count(one.relay, 1, 3);
    await waitUntil(() => two.heard.length === 3);
    const three = await relays.open();
    count(one.relay, 4, 6);
    await waitUntil(() => two.heard.length === 6 && three.heard.length === 3);
    expect([two.heard, three.heard, two.missed]).toEqual([numbers(1, 6), numbers(4, 6), []]);
  });
});
