import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inRounds } from './rounds.ts';

/** Rounds that end when the test says so. */
function heldRounds() {
  const rounds: { questions: readonly number[]; answer(): void }[] = [];
  const ask = inRounds<number, string>((questions) => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    rounds.push({ questions, answer: () => resolve(questions.map(String)) });
    return promise;
  });
  return { rounds, ask };
}

test('questions of one turn of the event loop are one round, and those that come during it are the next one', async () => {
  const { rounds, ask } = heldRounds();
  const first = [ask(1), ask(2)];
  await setImmediate();
  const second = [ask(3), ask(4), ask(5)];
  await setImmediate();
  expect(rounds.map(({ questions }) => questions)).toEqual([[1, 2]]);
  rounds[0]?.answer();
  expect(await Promise.all(first)).toEqual(['1', '2']);
  await setImmediate();
  expect(rounds.map(({ questions }) => questions)).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  rounds[1]?.answer();
  expect(await Promise.all(second)).toEqual(['3', '4', '5']);
  const third = ask(6);
  await setImmediate();
  rounds[2]?.answer();
  expect(await third).toBe('6');
});

test('a round that hangs holds up the others only for a while', async () => {
  const { rounds, ask } = heldRounds();
  const hanging = ask(1);
  await setImmediate();
  const other = ask(2);
  await expect.poll(() => rounds.length).toBe(2);
  rounds[1]?.answer();
  expect(await other).toBe('2');
  rounds[0]?.answer();
  expect(await hanging).toBe('1');
});

test('a failed round fails all of its questions, and the next round works', async () => {
  let isBroken = true;
  const ask = inRounds<number, number>(async (questions) => {
    if (isBroken) throw new Error('down');
    return questions;
  });
  const outcomes = await Promise.allSettled([ask(1), ask(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await ask(3)).toBe(3);
});

test('where a round isolates its questions, one that fails does not fail the others', async () => {
  const rounds: (readonly number[])[] = [];
  const ask = inRounds<number, number>(
    async (questions) => {
      rounds.push(questions);
      if (questions.includes(2)) throw new Error('not 2');
      return questions;
    },
    { isolates: true },
  );
  const outcomes = await Promise.allSettled([ask(1), ask(2), ask(3)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(rounds).toEqual([[1, 2, 3], [1], [2], [3]]);
});
