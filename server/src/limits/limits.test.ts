import { logIn } from '@pressel/contract/auth';
import { sendMessage } from '@pressel/contract/chat';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '#src/logs/log.ts';
import { openRedis } from '#src/processes/redis.ts';
import type { TestApp } from '#test/build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { makeTeam } from '#test/factories.ts';
import { startRedis } from '#test/redis-server.ts';
import { waitUntil } from '#test/wait-until.ts';
import { createLimits, LIMITS } from './limits.ts';
import type { RateLimit } from './rate-limit.ts';

const KEY = Buffer.alloc(32, 1);
const silent = createLog('silent', { write: () => undefined });
const takes = (limits: readonly RateLimit[], count: number, key = 'somebody') =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => limits[n % limits.length]?.take(key)));
const taken = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.filter(({ status }) => status === 'fulfilled').length;

describe.skipIf(!hasRedis)('[PROC32] rate limits of several processes', () => {
  /** Starts a separate Redis, and makes the limits of this many processes on it. */
  async function start(processes: number) {
    const server = await startRedis();
    if (server === null) throw new Error('There was a Redis a moment ago');
    const redis = await Promise.all(Array.from({ length: processes }, () => openRedis(server.url, 'one', silent)));
    onTestFinished(async () => {
      for (const one of redis) await one.close();
      await server.stop();
    });
    return { server, redis, limitsOf: redis.map((one) => createLimits(one, KEY)) };
  }

  test('three processes count as one, under each name by itself', async () => {
    const { limitsOf } = await start(3);
    const accounts = limitsOf.map((limit) => limit('auth.account'));
    expect(taken(await takes(accounts, 120))).toBe(100);
    expect(taken(await takes(accounts, 1, 'somebody else'))).toBe(1);
    const devices = limitsOf.map((limit) => limit('auth.device'));
    expect(taken(await takes(devices, 12))).toBe(10);
    const [outcome] = await takes(devices, 1);
    expect(outcome).toMatchObject({ reason: { code: 'too_many', params: { retryAfterSeconds: expect.any(Number) } } });
    await devices[1]?.reset('somebody');
    expect(taken(await takes(devices, 12))).toBe(10);
  });

  const evalsOf = async (redis: Awaited<ReturnType<typeof start>>['redis']) => {
    const stats = await redis[0]?.client.info('commandstats');
    return Number(/cmdstat_eval:calls=(\d+)/u.exec(String(stats))?.[1] ?? 0);
  };

  test('[PROC91] attempts that nobody waits for are counted together, and before one that is awaited', async () => {
    const { limitsOf, redis } = await start(2);
    const [one, two] = limitsOf.map((limit) => limit('auth.device')) as [RateLimit, RateLimit];
    for (let index = 0; index < 30; index += 1) one.note(`somebody ${index % 10}`);
    for (let index = 0; index < 7; index += 1) one.note('somebody 0');
    await one.take('nobody');
    expect(await evalsOf(redis)).toBe(2);
    // Three and seven are all that it may.
    await expect(two.take('somebody 0')).rejects.toThrow('too_many');
    expect(taken(await takes([two], 9, 'somebody 1'))).toBe(7);
    const [key = ''] = (await redis[0]?.client.keys('*:auth.device:*')) ?? [];
    expect(await redis[0]?.client.ttl(key)).toBeGreaterThan(0);
  });

  test('[PROC91] they are counted also if nobody asks for the count, and while Redis is away', async () => {
    const { server, limitsOf, redis } = await start(1);
    const limit = limitsOf[0]?.('auth.device') as RateLimit;
    limit.note('somebody');
    await waitUntil(async () => (await evalsOf(redis)) === 1);
    await server.stop('SIGKILL');
    await waitUntil(() => redis.every(({ client }) => !client.isReady));
    for (let index = 0; index < 4; index += 1) limit.note('somebody');
    limit.countNoted();
    expect(taken(await takes([limit], 12))).toBe(6);
  });

  test('what they count by can’t be read in Redis', async () => {
    const { limitsOf, redis } = await start(1);
    await limitsOf[0]?.('auth.account').take('ana@example.org');
    const keys = (await redis[0]?.client.keys('*')) ?? [];
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/^pressel:one:limit:auth\.account:[\w-]{43}$/u);
  });

  test('while Redis is away each counts by itself, and nobody gets an error', async () => {
    const { server, redis, limitsOf } = await start(2);
    const limits = limitsOf.map((limit) => limit('auth.device'));
    await takes(limits, 4);
    await server.stop('SIGKILL');
    await waitUntil(() => redis.every(({ client }) => !client.isReady));
    // Each process allows ten.
    expect(taken(await takes(limits, 30))).toBe(20);
    await Promise.all(limits.map((limit) => limit.giveBack('somebody')));
    await Promise.all(limits.map((limit) => limit.reset('somebody')));
    expect(taken(await takes(limits, 2))).toBe(2);
    await server.start();
    await waitUntil(() => redis.every(({ client }) => client.isReady));
    expect(taken(await takes(limits, 12))).toBe(10);
  });

  test('a Redis that hangs holds nobody up', async () => {
    const { server, limitsOf } = await start(1);
    const limit = limitsOf[0]?.('auth.device') as RateLimit;
    await limit.take('somebody');
    process.kill(server.pid, 'SIGSTOP');
    try {
      expect(taken(await takes([limit], 12))).toBe(10);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
  });
});

describe.skipIf(!hasRedis)('[PROC32] over three processes', () => {
  let cluster: TestCluster;
  afterEach(() => cluster.close());

  test('a hundred wrong passwords for an account are a hundred, not three hundred', async () => {
    cluster = await buildCluster({ processes: 3, config: { publicUrl: 'https://radio.example.org' } });
    await cluster.processes[0]?.signUp('Ana');
    const guess = async (n: number) => {
      const response = await cluster.processes[n % 3]?.app.inject({
        method: 'POST',
        url: logIn.path,
        headers: { 'x-forwarded-for': `198.51.100.${n}` },
        payload: { user_email: 'ana@example.org', user_password: 'guess' },
      });
      return response?.statusCode;
    };
    const statuses = await Promise.all(Array.from({ length: 110 }, (_, n) => guess(n)));
    expect(statuses.toSorted()).toEqual([...Array(100).fill(401), ...Array(10).fill(429)]);
  });

  test('[PROC91] thirty messages of a user are thirty, though the first half of them don’t wait for the count', async () => {
    cluster = await buildCluster({ processes: 3 });
    const [one] = cluster.processes as [TestApp];
    const { ana, nord } = await makeTeam(one);
    const send = async (n: number) => {
      const body = { channelId: nord, message: `${n}` };
      return (await cluster.processes[n % 3]?.call(sendMessage, body, ana.token))?.status;
    };
    const statuses: unknown[] = [];
    for (let n = 0; n < LIMITS['chat.messages'].attempts + 3; n += 1) statuses.push(await send(n));
    expect(statuses).toEqual([...Array(30).fill(200), ...Array(3).fill(429)]);
  });
});
