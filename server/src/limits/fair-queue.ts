/** Waiting entries, each of an owner. Owners take turns; an owner's own entries keep their order. */
export interface FairQueue<Entry> {
  readonly size: number;
  /** How many entries of this owner wait. */
  sizeOf(owner: string): number;
  add(owner: string, entry: Entry): void;
  /** Removes an entry that no longer waits. @returns false when it was already taken out */
  remove(owner: string, entry: Entry): boolean;
  /**
   * Takes out the first entry of the next owner who may go.
   * @param weightOf owners with lower weights go first; by default all take turns
   */
  take(mayGo?: (owner: string, first: Entry) => boolean, weightOf?: (owner: string) => number): Entry | undefined;
  /** The owner with the most entries; undefined when the queue is empty. */
  longestOwner(): string | undefined;
  /** Takes out the newest entry of this owner. */
  takeNewest(owner: string): Entry | undefined;
}

export function createFairQueue<Entry>(): FairQueue<Entry> {
  /** Owners in the order of their turns. A set keeps the order of arrival, and removes entries from its middle quickly. */
  const waiting = new Map<string, Set<Entry>>();
  let size = 0;
  const remove = (owner: string, entry: Entry): boolean => {
    const own = waiting.get(owner);
    if (own === undefined || !own.delete(entry)) return false;
    size -= 1;
    if (own.size === 0) waiting.delete(owner);
    return true;
  };
  return {
    get size() {
      return size;
    },
    sizeOf: (owner) => waiting.get(owner)?.size ?? 0,
    add(owner, entry) {
      const own = waiting.get(owner);
      if (own === undefined) waiting.set(owner, new Set([entry]));
      else own.add(entry);
      size += 1;
    },
    remove,
    take(mayGo = () => true, weightOf = () => 0) {
      let next: { owner: string; own: Set<Entry>; first: Entry; weight: number } | undefined;
      for (const [owner, own] of waiting) {
        const [first] = own;
        if (first === undefined || !mayGo(owner, first)) continue;
        const weight = weightOf(owner);
        if (next === undefined || weight < next.weight) next = { owner, own, first, weight };
        // No weight can be less.
        if (weight === 0) break;
      }
      if (next === undefined) return undefined;
      const { owner, own, first } = next;
      remove(owner, first);
      // The owner's next turn comes after everybody else's.
      if (waiting.delete(owner)) waiting.set(owner, own);
      return first;
    },
    longestOwner() {
      let longest: string | undefined;
      for (const [owner, own] of waiting) {
        if (own.size > (waiting.get(longest ?? '')?.size ?? 0)) longest = owner;
      }
      return longest;
    },
    takeNewest(owner) {
      const newest = [...(waiting.get(owner) ?? [])].at(-1);
      if (newest !== undefined) remove(owner, newest);
      return newest;
    },
  };
}
