/** At most `max` of these, evenly spread; the first and the last stay. */
export function thinOut<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all];
  const step = (all.length - 1) / (max - 1);
  return Array.from({ length: max }, (_, index) => all[Math.round(index * step)] as T);
}
