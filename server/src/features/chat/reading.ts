/** Numbers of messages from `first` to `last`, both included. */
export interface Range {
  first: number;
  last: number;
}

/** The parts of a range that none of `seen` covers, in order. `seen`: in the order of their numbers, not overlapping. */
export function unseenParts(seen: readonly Range[], { first, last }: Range): Range[] {
  const parts: Range[] = [];
  let next = first;
  for (const range of seen) {
    if (range.last < next) continue;
    if (range.first > last) break;
    if (range.first > next) parts.push({ first: next, last: range.first - 1 });
    next = range.last + 1;
  }
  if (next <= last) parts.push({ first: next, last });
  return parts;
}
