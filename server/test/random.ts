/** mulberry32: a small seeded generator, identical on all platforms. */
export const createRandom = (seed: number) => {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]): T | undefined => items[below(items.length)],
    shuffled: <T>(items: readonly T[]): T[] => {
      const left = [...items];
      return items.flatMap(() => left.splice(below(left.length), 1));
    },
  };
};
export type Random = ReturnType<typeof createRandom>;

/** Names the seed in the error, so that the run can be repeated. */
export const underSeed = async (seed: number, run: () => Promise<void> | void): Promise<void> => {
  try {
    await run();
  } catch (cause) {
    throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
};
