import type { UserId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import type { Db } from '#src/db/connect.ts';
import { createLog } from '#src/logs/log.ts';
import { createFacts } from './facts.ts';

const somebody = { userId: '0190b4d8-0000-7000-8000-000000000001' as UserId };

function collect() {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('debug', { write: (line: string) => lines.push(JSON.parse(line)) });
  // Nothing here is committed.
  return { lines, facts: createFacts({} as Db, log, null, () => undefined) };
}

test('handlers are called synchronously, in order of subscription', () => {
  const { facts } = collect();
  const heard: string[] = [];
  facts.on('roleChanged', async ({ userId }) => void heard.push(`first ${userId}`));
  facts.on('roleChanged', ({ userId }) => void heard.push(`second ${userId}`));
  facts.on('sessionEnded', () => void heard.push('of another fact'));
  facts.publish('roleChanged', somebody);
  expect(heard).toEqual([`first ${somebody.userId}`, `second ${somebody.userId}`]);
});

test('a failing handler is logged and does not stop the others', async () => {
  const { facts, lines } = collect();
  const heard: string[] = [];
  facts.on('roleChanged', () => {
    throw new Error('at once');
  });
  facts.on('roleChanged', async () => {
    throw new Error('later');
  });
  facts.on('roleChanged', () => void heard.push('told'));
  facts.publish('roleChanged', somebody);
  await facts.close();
  expect(heard).toEqual(['told']);
  expect(lines.map(({ msg, fact }) => [msg, fact])).toEqual([
    ['fact_failed', 'roleChanged'],
    ['fact_failed', 'roleChanged'],
  ]);
});

test('closing waits for asynchronous handlers', async () => {
  const { facts } = collect();
  const { promise, resolve } = Promise.withResolvers<void>();
  let isClosed = false;
  facts.on('roleChanged', () => promise);
  facts.publish('roleChanged', somebody);
  const closed = facts.close().then(() => {
    isClosed = true;
  });
  expect(isClosed).toBe(false);
  resolve();
  await closed;
  expect(isClosed).toBe(true);
});
