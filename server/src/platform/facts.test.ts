import type { UserId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { createLog } from '#src/shared/log.ts';
import { createFacts } from './facts.ts';

const somebody = { userId: '0190b4d8-0000-7000-8000-000000000001' as UserId };

function collect() {
  const lines: Record<string, unknown>[] = [];
  return { lines, facts: createFacts(createLog('debug', { write: (line: string) => lines.push(JSON.parse(line)) })) };
}

test('handlers are called synchronously, in order of subscription', () => {
  const { facts } = collect();
  const heard: string[] = [];
  facts.on('roleChanged', async ({ userId }) => void heard.push(`first ${userId}`));
  facts.on('roleChanged', ({ userId }) => void heard.push(`second ${userId}`));
  facts.on('sessionEnded', () => void heard.push('of another fact'));
  facts.tell('roleChanged', somebody);
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
  facts.tell('roleChanged', somebody);
  await facts.settled();
  expect(heard).toEqual(['told']);
  expect(lines.map(({ msg, fact }) => [msg, fact])).toEqual([
    ['fact_failed', 'roleChanged'],
    ['fact_failed', 'roleChanged'],
  ]);
});

test('settled waits for asynchronous handlers', async () => {
  const { facts } = collect();
  const { promise, resolve } = Promise.withResolvers<void>();
  let isSettled = false;
  facts.on('roleChanged', () => promise);
  facts.tell('roleChanged', somebody);
  const settled = facts.settled().then(() => {
    isSettled = true;
  });
  expect(isSettled).toBe(false);
  resolve();
  await settled;
  expect(isSettled).toBe(true);
});
