import { expect, test, vi } from 'vitest';
import type { AskAll } from '#src/processes/process-queries.ts';
import { watchCutOff } from './cut-off.ts';

/** A process that can look when the test says so. */
function createProcess(answer: () => Promise<boolean | null>) {
  let isReached = true;
  let look: (goesOn: never) => Promise<void> | void = () => undefined;
  const sendBack = vi.fn(async () => undefined);
  const here = vi.fn();
  const cutOff = watchCutOff({
    database: { isReached: () => isReached, ping: async () => undefined },
    askAll: ((_topic, _question, own) => {
      here.mockImplementation(own as never);
      return answer;
    }) as AskAll,
    sockets: { sendBack },
    schedule: {
      every(_ms, _name, work) {
        look = work;
        return { soon: () => undefined };
      },
    },
    log: { warn: vi.fn(), info: vi.fn() },
  });
  const looks = async (times: number) => {
    for (let time = 0; time < times; time += 1) await look(undefined as never);
  };
  return { cutOff, sendBack, here, looks, reaches: (reaches: boolean) => (isReached = reaches) };
}

test('[PROC111] a process that lost the database sends its clients to one that reaches it, once', async () => {
  const { cutOff, sendBack, looks, reaches } = createProcess(async () => true);
  await looks(3);
  expect(sendBack).not.toHaveBeenCalled();
  reaches(false);
  await looks(1);
  expect(cutOff.isOn).toBe(false);
  await looks(3);
  expect(cutOff.isOn).toBe(true);
  expect(sendBack).toHaveBeenCalledOnce();
  reaches(true);
  await looks(1);
  expect(cutOff.isOn).toBe(false);
});

test.each([
  ['nobody answers', async () => null],
  ['the others have lost it, too', async () => false],
  ['the others cannot be asked', () => Promise.reject(new Error('Redis is away'))],
])('[PROC111] if %s, the clients stay', async (_why, answer) => {
  const { cutOff, sendBack, looks, reaches } = createProcess(answer);
  reaches(false);
  await looks(5);
  expect(cutOff.isOn).toBe(false);
  expect(sendBack).not.toHaveBeenCalled();
});

test('[PROC111] a process that lost the database doesn’t answer the question of another one', async () => {
  const { here, reaches } = createProcess(async () => true);
  await expect(here()).resolves.toBe(true);
  reaches(false);
  expect(here()).toBeNull();
});
