import fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T | undefined;
  shuffled<T>(items: readonly T[]): T[];
}

/** Random numbers that are the same for the same seed, on all platforms. `reseed` goes on with those of another seed. */
export function createRandom(seed: number): Random & { reseed(next: number): void } {
  let numbers = xoroshiro128plus(seed);
  const next = () => (numbers.next() >>> 0) / 2 ** 32;
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)],
    shuffled: (items) => {
      const left = [...items];
      return items.flatMap(() => left.splice(below(left.length), 1));
    },
    reseed(other) {
      numbers = xoroshiro128plus(other);
    },
  };
}

interface Runs {
  runs: number;
  /** How many steps a run has on average. */
  steps: number;
  seed?: number;
}

const seeds = fc.noShrink(fc.integer());

/**
 * Does `run` many times, each with other random numbers; it does a step for each number of `steps`. Each step has random
 * numbers of its own: fast-check leaves out steps of a run that fails as long as it still fails, and reports the shortest
 * one, with the seed and path that repeat it.
 */
export async function checkRuns(
  { runs, steps, seed = 1 }: Runs,
  run: (random: Random, steps: Iterable<number>) => Promise<void> | void,
): Promise<void> {
  const oneRun = fc.noBias(fc.tuple(seeds, fc.array(seeds, { maxLength: 2 * steps, size: 'max' })));
  const property = fc.asyncProperty(oneRun, async ([first, rest]) => {
    const random = createRandom(first);
    const inTurn = function* () {
      for (const [index, ofStep] of rest.entries()) {
        random.reseed(ofStep);
        yield index + 1;
      }
    };
    await run(random, inTurn());
  });
  await fc.assert(property, { seed, numRuns: runs });
}
