import fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface Random {
  /** A number from 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(...choices: readonly [T, ...T[]]): T;
}

/** Random numbers that are the same for the same seed. `reseed` goes on with those of another seed. */
export function createRandom(seed: number): Random & { reseed(other: number): void } {
  let numbers = xoroshiro128plus(seed);
  const next = () => (numbers.next() >>> 0) / 2 ** 32;
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (...choices) => choices[below(choices.length)] ?? choices[0],
    reseed(other) {
      numbers = xoroshiro128plus(other);
    },
  };
}

const seeds = fc.noShrink(fc.integer());

/**
 * Does `run` many times, each with other random numbers; it does a step for each number of `steps`. Each step has random
 * numbers of its own: fast-check leaves out steps of a run that fails as long as it still fails, and reports the shortest
 * one, with the seed and path that repeat it.
 */
export async function checkRuns(
  /** `steps`: on average. */
  { runs, steps }: { runs: number; steps: number },
  run: (random: Random, steps: Iterable<number>) => Promise<void>,
): Promise<void> {
  const oneRun = fc.noBias(fc.tuple(seeds, fc.array(seeds, { maxLength: 2 * steps, size: 'max' })));
  const property = fc.asyncProperty(oneRun, ([first, rest]) => {
    const random = createRandom(first);
    const inTurn = function* () {
      for (const [index, seed] of rest.entries()) {
        random.reseed(seed);
        yield index;
      }
    };
    return run(random, inTurn());
  });
  await fc.assert(property, { seed: 1, numRuns: runs });
}
