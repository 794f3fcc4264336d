import { expect, test } from 'vitest';
import { createGate, type GateLimits } from './gate.ts';

/** Work that ends when the test says so. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let hasBegun = false;
  return {
    run: () => {
      hasBegun = true;
      return promise;
    },
    end: resolve,
    fail: reject,
    hasBegun: () => hasBegun,
  };
}

const gateOf = (limits: Partial<GateLimits>) =>
  createGate({ atOnce: 1, waiting: 100, retryAfterSeconds: 1, ...limits });

/** A gate whose work ends one after the other. @returns the owners in the order of their turns */
async function turnsOf(limits: Partial<GateLimits>, owners: readonly string[]): Promise<string[]> {
  const gate = gateOf(limits);
  const turns: string[] = [];
  await Promise.all(owners.map((owner) => gate.run(owner, async () => void turns.push(owner))));
  return turns;
}

test('runs up to the limit at once and the rest in order of arrival, also after a failure', async () => {
  const gate = gateOf({ atOnce: 2 });
  const works = Array.from({ length: 5 }, work);
  const results = works.map(({ run }) => gate.run('ana', run).catch((error: Error) => error.message));
  const begun = () => works.map(({ hasBegun }) => hasBegun());
  expect(begun()).toEqual([true, true, false, false, false]);
  works[1]?.fail(new Error('failed'));
  await results[1];
  expect(begun()).toEqual([true, true, true, false, false]);
  works[0]?.end('first');
  await results[0];
  works[2]?.end('third');
  await results[2];
  expect(begun()).toEqual([true, true, true, true, true]);
  for (const { end } of works) end('done');
  expect(await Promise.all(results)).toEqual(['first', 'failed', 'third', 'done', 'done']);
  expect(await gate.run('ana', async () => 'later')).toBe('later');
});

test('[BUDGET5] owners take turns, however much one of them asks for', async () => {
  expect(await turnsOf({}, ['ana', 'ana', 'ana', 'ana', 'ana', 'bo', 'cleo', 'bo'])).toEqual([
    ...['ana', 'ana', 'bo', 'cleo', 'ana', 'bo'],
    ...['ana', 'ana'],
  ]);
});

test('[BUDGET5] an owner takes no more than their part at once, and leaves the rest to others', async () => {
  const gate = gateOf({ atOnce: 2, atOnceOfOwner: 1 });
  const [first, second, other, third] = [work(), work(), work(), work()];
  const results = [first, second].map(({ run }) => gate.run('ana', run));
  results.push(gate.run('bo', other.run), gate.run('bo', third.run));
  const begun = () => [first, second, other, third].map(({ hasBegun }) => hasBegun());
  expect(begun()).toEqual([true, false, true, false]);
  other.end('');
  await results[2];
  expect(begun()).toEqual([true, false, true, true]);
  first.end('');
  await results[0];
  expect(begun()).toEqual([true, true, true, true]);
  for (const { end } of [second, third]) end('');
  await Promise.all(results);
});

test('refuses when the queue is full, with a retry time', async () => {
  const gate = gateOf({ waiting: 1, retryAfterSeconds: 5 });
  const first = work();
  const inside = gate.run('ana', first.run);
  const waiting = gate.run('bo', async () => 'second');
  await expect(gate.run('cleo', async () => 'third')).rejects.toMatchObject({
    code: 'unavailable',
    params: { retryAfterSeconds: 5 },
  });
  first.end('first');
  expect(await Promise.all([inside, waiting])).toEqual(['first', 'second']);
});

test('[BUDGET5] an owner whose queue is full is refused, and nobody else', async () => {
  const gate = gateOf({ waitingOfOwner: 1, retryAfterSeconds: 5 });
  const first = work();
  const inside = [gate.run('ana', first.run), gate.run('ana', async () => 'second')];
  await expect(gate.run('ana', async () => 'third')).rejects.toMatchObject({
    code: 'too_many',
    params: { retryAfterSeconds: 5 },
  });
  inside.push(gate.run('bo', async () => 'of somebody else'));
  first.end('first');
  expect(await Promise.all(inside)).toEqual(['first', 'second', 'of somebody else']);
});

test('[BUDGET6] what is not waited for any more loses its place', async () => {
  const gate = gateOf({ waitingOfOwner: 2 });
  const [first, gone, last] = [work(), work(), work()];
  const leaving = new AbortController();
  const inside = gate.run('ana', first.run);
  const left = gate.run('ana', gone.run, leaving.signal);
  const stays = gate.run('ana', last.run);
  leaving.abort(new Error('closed'));
  await expect(left).rejects.toThrow('closed');
  first.end('');
  await inside;
  expect([gone.hasBegun(), last.hasBegun()]).toEqual([false, true]);
  last.end('');
  await stays;
  await expect(gate.run('ana', gone.run, leaving.signal)).rejects.toThrow('closed');
});

test('[BUDGET6] work that has begun goes on when its caller leaves', async () => {
  const gate = gateOf({});
  const leaving = new AbortController();
  const first = work();
  const inside = gate.run('ana', first.run, leaving.signal);
  leaving.abort(new Error('closed'));
  first.end('first');
  expect(await inside).toBe('first');
  expect(await gate.run('ana', async () => 'later')).toBe('later');
});

test('a full queue has room for whoever has less in it: the newest of the one who has most is turned away', async () => {
  const gate = gateOf({ waiting: 4, waitingOfOwner: 3, retryAfterSeconds: 5 });
  const first = work();
  const turns: string[] = [];
  const run = (owner: string, name: string) =>
    gate.run(owner, async () => void turns.push(name)).catch(({ code }) => turns.push(`${name}: ${code}`));
  const all = [gate.run('ana', first.run), run('ana', 'ana 1'), run('ana', 'ana 2'), run('ana', 'ana 3')];
  all.push(run('bo', 'bo 1'), run('cleo', 'cleo 1'), run('bo', 'bo 2'));
  await Promise.all([all[3], all[6]]);
  expect(turns.toSorted()).toEqual(['ana 3: unavailable', 'bo 2: unavailable']);
  first.end('');
  await Promise.all(all);
  expect(turns.slice(2)).toEqual(['ana 1', 'bo 1', 'cleo 1', 'ana 2']);
});

test('with a clock, whoever took little time lately goes before whoever took much, and who has less waiting before who has more', async () => {
  let time = 0;
  const gate = gateOf({ now: () => time });
  const turns: string[] = [];
  const run = (owner: string, ms: number) =>
    gate.run(owner, async () => {
      turns.push(owner);
      time += ms;
    });
  const works = ['ana', 'ana', 'ana', 'bo', 'bo', 'cleo'].map((owner) => run(owner, owner === 'cleo' ? 200 : 10_000));
  await Promise.all(works);
  expect(turns).toEqual(['ana', 'cleo', 'bo', 'ana', 'bo', 'ana']);
  turns.splice(0);
  await Promise.all(['bo', 'ana', 'bo', 'cleo'].map((owner) => run(owner, 200)));
  expect(turns).toEqual(['bo', 'cleo', 'bo', 'ana']);
  turns.splice(0);
  // Old work is forgotten.
  time += 3_600_000;
  await Promise.all(['bo', 'cleo', 'ana'].map((owner) => run(owner, 200)));
  expect(turns).toEqual(['bo', 'cleo', 'ana']);
});
