import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Batch, createMailbox } from './channel-hosts.ts';

/** A batch that records what is done, and what is refused and why; it goes on when told. */
function openBatch(most = 3) {
  const done: string[][] = [];
  const refused: string[] = [];
  let gate = Promise.resolve();
  const batch: Batch<string> = {
    ...{ most, waitMaxMs: 100 },
    async work(entries) {
      await gate;
      if (entries.includes('bad')) throw new Error('no');
      done.push([...entries]);
    },
    refuse: (entry, reason) => void refused.push(`${entry}: ${(reason as { code?: string }).code ?? String(reason)}`),
  };
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { batch, done, refused, hold };
}

test('a mailbox does one thing after the other, in order, also after one that failed, and is idle then', async () => {
  const events: string[] = [];
  const mailbox = createMailbox(
    () => 0,
    () => void events.push('idle'),
  );
  const first = Promise.withResolvers<void>();
  const runs = [
    mailbox.run(async () => {
      events.push('first begins');
      await first.promise;
      events.push('first ends');
    }),
    mailbox.run(() => Promise.reject(new Error('no'))),
    mailbox.run(async () => void events.push('third')),
    mailbox.run(async () => 7),
  ];
  expect(mailbox.isBusy()).toBe(true);
  first.resolve();
  expect((await Promise.allSettled(runs)).map((one) => ('value' in one ? one.value : String(one.reason)))).toEqual([
    ...[undefined, 'Error: no', undefined, 7],
  ]);
  await setImmediate();
  await mailbox.run(async () => void events.push('again'));
  await setImmediate();
  expect(events).toEqual(['first begins', 'first ends', 'third', 'idle', 'again', 'idle']);
  expect(mailbox.isBusy()).toBe(false);
});

test('a mailbox does entries together that wait side by side, so many at a time, and nothing ahead of what came before it', async () => {
  const mailbox = createMailbox(() => 0);
  const { batch, done } = openBatch();
  for (const entry of ['a', 'b', 'c', 'd']) mailbox.add(batch, entry);
  const between = mailbox.run(async () => void done.push(['between']));
  for (const entry of ['e', 'f']) mailbox.add(batch, entry);
  await between;
  await mailbox.run(async () => undefined);
  expect(done).toEqual([['a', 'b', 'c'], ['d'], ['between'], ['e', 'f']]);
});

test('a mailbox refuses what waited for too long, each for itself, and never what was begun', async () => {
  let time = 0;
  const mailbox = createMailbox(() => time);
  const { batch, done, refused, hold } = openBatch();
  const goOn = hold();
  mailbox.add(batch, 'begun');
  await null;
  mailbox.add(batch, 'old');
  time = 101;
  mailbox.add(batch, 'young');
  const late = mailbox.run(async () => 'late', 100);
  const outcome = expect(late).rejects.toMatchObject({ code: 'unavailable' });
  time = 201;
  const patient = mailbox.run(async () => 'done');
  time = 202;
  goOn();
  expect(await patient).toBe('done');
  await outcome;
  expect(done).toEqual([['begun']]);
  expect(refused).toEqual(['old: unavailable', 'young: unavailable']);
});

test('a mailbox refuses all entries of a go that threw', async () => {
  const mailbox = createMailbox(() => 0);
  const { batch, done, refused } = openBatch();
  for (const entry of ['a', 'bad', 'b', 'c']) mailbox.add(batch, entry);
  await mailbox.run(async () => undefined);
  expect(refused).toEqual(['a: Error: no', 'bad: Error: no', 'b: Error: no']);
  expect(done).toEqual([['c']]);
});
