/** Numbers from 0 to below 1. */
export type Random = () => number;

/** mulberry32: small, seeded, the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const between = (random: Random, least: number, most: number): number => least + random() * (most - least);

/** @throws Error when there is nothing to choose from */
export function oneOf<T>(random: Random, choice: readonly T[]): T {
  const chosen = choice[Math.floor(random() * choice.length)];
  if (chosen === undefined) throw new Error('There is nothing to choose from');
  return chosen;
}
