import { createYielder } from '#src/shared/in-pieces.ts';

/** Unknown names for which near ones are looked for: more of them are a list of new channels, not of mistakes. */
const ASKED_MAX = 200;
/** Maximum of comparisons for all of them together, so that long lists of similar names don't take seconds. */
const PAIRS_MAX = 200_000;
/** Maximum of near names given for one. */
const GIVEN_MAX = 3;

export interface NearNames {
  name: string;
  near: string[];
}

/** For each of these names, those of the known ones that differ little, the nearest first; names without any are left out. */
export async function nearNames(asked: readonly string[], known: readonly string[]): Promise<NearNames[]> {
  const yieldToEventLoop = createYielder();
  const folded = new Map<string, { name: string; key: string }[]>();
  for (const name of known) {
    const key = fold(name);
    const kin = kinOf(key.length, digitsOf(key));
    const same = folded.get(kin);
    if (same) same.push({ name, key });
    else folded.set(kin, [{ name, key }]);
    await yieldToEventLoop();
  }
  const found: NearNames[] = [];
  let pairs = 0;
  for (const name of asked.slice(0, ASKED_MAX)) {
    const key = fold(name);
    const most = allowedOf(key);
    const near: { name: string; distance: number }[] = [];
    const digits = digitsOf(key);
    for (let length = key.length - most; length <= key.length + most; length += 1) {
      for (const one of folded.get(kinOf(length, digits)) ?? []) {
        pairs += 1;
        if (pairs > PAIRS_MAX) break;
        const distance = distanceOf(key, one.key, most);
        if (distance <= most) near.push({ name: one.name, distance });
        await yieldToEventLoop();
      }
    }
    near.sort((one, other) => one.distance - other.distance);
    if (near.length > 0) found.push({ name, near: near.slice(0, GIVEN_MAX).map((one) => one.name) });
  }
  return found;
}

/** Longer names are compared by their beginnings, so that a comparison has a bound. */
const COMPARED_MAX = 100;

/** A name without case, accents, white space and punctuation. */
const fold = (name: string): string =>
  name
    .slice(0, COMPARED_MAX)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Number of letters by which a name may differ: none in short ones, where one letter makes another name. */
function allowedOf(key: string): number {
  if (key === '') return -1;
  if (key.length < 5) return 0;
  return key.length < 9 ? 1 : 2;
}

/** Compares only names of about the same length and with the same digits: 'Canal 1' is no slip of 'Canal 2'. */
const kinOf = (length: number, digits: string): string => `${length} ${digits}`;

const digitsOf = (text: string): string => text.replace(/\D/gu, '');

/**
 * Number of letters to insert, delete or replace (Levenshtein). Returns `most` + 1 when there are more than `most`, by which
 * the lengths may differ.
 */
function distanceOf(one: string, other: string, most: number): number {
  if (one === other) return 0;
  if (most < 1) return most + 1;
  const same = sharedStart(one, other);
  return distanceWithin(one.slice(same), other.slice(same), most);
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** Leaves out what is further than `most` from the diagonal. */
function distanceWithin(one: string, other: string, most: number): number {
  const far = most + 1;
  let before = new Uint8Array(other.length + 1).fill(far);
  let row = new Uint8Array(other.length + 1).fill(far);
  for (let to = 0; to <= most; to += 1) before[to] = to;
  for (let at = 1; at <= one.length; at += 1) {
    const first = Math.max(1, at - most);
    const last = Math.min(other.length, at + most);
    let left = first === 1 ? Math.min(at, far) : far;
    let least = left;
    row[first - 1] = left;
    for (let to = first; to <= last; to += 1) {
      const replaced = (before[to - 1] ?? far) + (one.charCodeAt(at - 1) === other.charCodeAt(to - 1) ? 0 : 1);
      left = Math.min(replaced, (before[to] ?? far) + 1, left + 1, far);
      least = Math.min(least, left);
      row[to] = left;
    }
    if (least > most) return far;
    [before, row] = [row, before];
  }
  return before[other.length] ?? far;
}
