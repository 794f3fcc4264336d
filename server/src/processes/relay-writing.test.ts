import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { waitUntil } from '#test/wait-until.ts';
import type { Redis } from './redis.ts';
import { createRelay } from './relay.ts';

let lines: { msg: string }[];
beforeEach(() => {
  lines = [];
});
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
const logged = () => lines.map(({ msg }) => msg);

test('[PROC104] logs one line for one outage, also if connections end meanwhile', async () => {
  let [isRefusing, readsWhileAway, entries] = [true, 0, 0];
  const client = {
    get isReady() {
      readsWhileAway -= 1;
      return readsWhileAway < 0;
    },
    async xAdd() {
      entries += 1;
      // The relay looks once whether Redis is there, and gives up for the moment.
      if (isRefusing) readsWhileAway = 1;
      if (isRefusing) throw new Error('NOREPLICAS Not enough good replicas to write.');
    },
    publish: async () => 0,
  };
  const redis = { client, prefix: '', writeFailed: () => undefined, wrote: () => undefined } as unknown as Redis;
  const relay = createRelay(redis, log);
  const say = async () => {
    const before = entries;
    relay.send('a', 1);
    await waitUntil(() => entries > before && readsWhileAway <= 0);
  };
  await say();
  await say();
  expect(logged()).toEqual(['relay_not_written']);
  isRefusing = false;
  await say();
  isRefusing = true;
  await say();
  expect(logged()).toEqual(['relay_not_written', 'relay_not_written']);
});

test('writes what is said in the moment in which the last entry was written', async () => {
  const answers: PromiseWithResolvers<string>[] = [];
  const client = {
    isReady: true,
    xAdd() {
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      return answer.promise;
    },
    publish: async () => 0,
  };
  const redis = { client, prefix: '', writeFailed: () => undefined, wrote: () => undefined } as unknown as Redis;
  const relay = createRelay(redis, log);
  relay.send('a', 1);
  await waitUntil(() => answers.length === 1);
  void answers[0]?.promise.then(() => relay.send('a', 2));
  answers[0]?.resolve('0-1');
  await waitUntil(() => answers.length === 2);
});
