import { expect, test, vi } from 'vitest';
import type { AskAll } from '#src/processes/process-queries.ts';
import { watchCutOff } from './cut-off.ts';

/** A process that can look when the test says so. */
function createProcess(answer: () => Promise<boolean | null>) {
  let isReached = true;
  let isPinged = true;
  let isServing = true;
  let look: (goesOn: never) => Promise<void> | void = () => undefined;
  const sendBack = vi.fn(async () => undefined);
  const here = vi.fn();
  const cutOff = watchCutOff({
    database: {
      isReached: () => isReached,
      ping: () => (isPinged ? Promise.resolve() : Promise.reject(new Error('PostgreSQL is away'))),
    },
    isServing: () => isServing,
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
  const reaches = (reaches: boolean, pinged = reaches) => ([isReached, isPinged] = [reaches, pinged]);
  return { cutOff, sendBack, here, looks, reaches, serves: (serves: boolean) => (isServing = serves) };
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
  ['the others cannot be asked', () => Promise.reject(new Error('Redis is away'))],
])('[PROC111] if %s, the clients stay', async (_why, answer) => {
  const { cutOff, sendBack, looks, reaches } = createProcess(answer);
  reaches(false);
  await looks(5);
  expect(cutOff.isOn).toBe(false);
  expect(sendBack).not.toHaveBeenCalled();
});

test('[PROC111] if the process itself can connect again, the clients stay', async () => {
  const { cutOff, looks, reaches } = createProcess(async () => true);
  reaches(false, true);
  await looks(5);
  expect(cutOff.isOn).toBe(false);
});

test('[PROC111] only a process that has the database, and takes clients in, answers the question of another one', async () => {
  const { here, reaches, serves } = createProcess(async () => true);
  await expect(here()).resolves.toBe(true);
  serves(false);
  expect(here()).toBeNull();
  serves(true);
  reaches(false);
  expect(here()).toBeNull();
});
