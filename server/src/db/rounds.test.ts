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

/** An error as the driver reports it. */
const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

/** Statuses of the answers to the numbers below some number, and the rounds that they took. */
async function isolating(count: number, work: (numbers: readonly number[]) => void) {
  const rounds: (readonly number[])[] = [];
  const ask = inRounds<number, number>(
    async (numbers) => {
      rounds.push(numbers);
      work(numbers);
      return numbers;
    },
    { isolates: true },
  );
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => ask(index)));
  return { rounds, failed: outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])) };
}

test.each([
  ['ends with the statement', failure('57P01')],
  ['ends without a word', new Error('Connection terminated unexpectedly')],
  ['had ended before', new Error('Client has encountered a connection error and is not queryable')],
])('a round of reads is asked once more if its connection %s', async (_how, error) => {
  const rounds: (readonly number[])[] = [];
  const ask = inRounds<number, number>(async (numbers) => {
    rounds.push(numbers);
    if (rounds.length === 1) throw error;
    return numbers;
  });
  expect(await Promise.all([ask(1), ask(2)])).toEqual([1, 2]);
  expect(rounds).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test('a round of reads is not asked a third time, and not again after another failure', async () => {
  let count = 0;
  const askFailing = (error: Error) =>
    inRounds<number, number>(() => {
      count += 1;
      return Promise.reject(error);
    });
  await expect(askFailing(failure('57P01'))(1)).rejects.toThrow('failed');
  expect(count).toBe(2);
  await expect(askFailing(failure('53100'))(1)).rejects.toThrow('failed');
  expect(count).toBe(3);
});

test('a round of writes is not repeated if its connection ends: it may have been stored', async () => {
  const { rounds, failed } = await isolating(3, () => {
    throw failure('57P01');
  });
  expect(failed).toEqual([0, 1, 2]);
  expect(rounds).toHaveLength(1);
});

test.each([0, 250, 499])(
  'where a round isolates its questions, one that fails is found by halves: %i of 500',
  async (bad) => {
    const { rounds, failed } = await isolating(500, (numbers) => {
      if (numbers.includes(bad)) throw failure('23503');
    });
    expect(failed).toEqual([bad]);
    expect(rounds.length).toBeLessThanOrEqual(19);
  },
);

test('the parts of a failed round come one after the other', async () => {
  let running = 0;
  const ask = inRounds<number, number>(
    async (numbers) => {
      running += 1;
      expect(running, 'parts at once').toBe(1);
      await setImmediate();
      running -= 1;
      if (numbers.includes(0) && numbers.length > 2) throw failure('55P03');
      return numbers;
    },
    { isolates: true },
  );
  expect(await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(ask))).toHaveLength(8);
});

test('if the database goes away meanwhile, all parts that are left fail', async () => {
  const { rounds, failed } = await isolating(8, (numbers) => {
    if (numbers.length === 8) throw failure('23503');
    if (numbers.includes(4)) throw failure('57P03');
  });
  expect(failed).toEqual([4, 5, 6, 7]);
  expect(rounds).toHaveLength(3);
});

test('if too many questions wait, further ones are refused', async () => {
  const { rounds, ask } = heldRounds();
  const asked = Array.from({ length: 10_000 }, (_, index) => ask(index));
  await expect(ask(10_000)).rejects.toMatchObject({ code: 'unavailable' });
  for (let round = 0; round < 20; round += 1) {
    await expect.poll(() => rounds.length).toBe(round + 1);
    rounds[round]?.answer();
  }
  expect(await Promise.all(asked)).toHaveLength(10_000);
});
