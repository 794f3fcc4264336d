import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openRedis } from './redis.ts';

test('[PROC4] a start that finds no Redis says so, and what to do', async () => {
  const start = openRedis('redis://127.0.0.1:1', 'test', pino({ enabled: false }), 300);
  await expect(start).rejects.toThrow(/^The Redis of REDIS_URL can't be reached: .*ECONNREFUSED.*REDIS_URL\.$/u);
});
