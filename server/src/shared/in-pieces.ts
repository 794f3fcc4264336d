import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';

/**
 * Longest stretch of work on the event loop, ms: it delays other answers, and the floor's. An answer waits for one such stretch at each of
 * its own steps. Beside fifty parallel lists, other calls took 2.2 times as long with stretches of 2 ms, and 1.5 times with these.
 */
const SLICE_MS = 0.5;

/**
 * For long loops on this thread: await the returned function after each step.
 * @returns a function that yields to the event loop when SLICE_MS have passed since the last yield
 */
export function createYielder(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < SLICE_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}

/** Awaited between pieces of long work: gives way to other waiting work. See createYielder. */
export type Pause = () => Promise<void>;

/** Lists longer than this are handled entry by entry. Shorter ones are quicker at once. */
const LONG = 100;
/** Parsing ends after this many faults, the most that a client is told. */
const ISSUES_MAX = 20;

type AnyType = z.core.$ZodType;

/** Rows per query: the driver makes objects of all rows of an answer without a pause. */
export const PORTION = 500;

/** Splits a list into parts, in its order. */
export function* portionsOf<Entry>(list: readonly Entry[], size: number = PORTION): Generator<Entry[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

/** Calls `read` for each part of a list, and joins the results in one map. */
export async function readInPortions<Entry, Value>(
  list: readonly Entry[],
  read: (portion: readonly Entry[]) => Promise<ReadonlyMap<string, Value>>,
  size: number = PORTION,
): Promise<Map<string, Value>> {
  const all = new Map<string, Value>();
  for (const portion of portionsOf(list, size)) {
    for (const [key, value] of await read(portion)) all.set(key, value);
  }
  return all;
}

/** Sorts entries in the order of the given ids. Ids without an entry are left out. */
export function inOrderOf<Entry>(
  ids: readonly string[],
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
): Entry[] {
  const byId = new Map(entries.map((entry) => [idOf(entry), entry]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The same as `list.map(work)`, but pauses between the entries. */
export async function mapInPieces<Entry, Result>(
  list: readonly Entry[],
  pause: Pause,
  work: (entry: Entry) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const entry of list) {
    results.push(work(entry));
    await pause();
  }
  return results;
}

/**
 * The same as `schema.parse(value)`, but pauses between the entries of long lists, wherever in the schema they are.
 * @throws ZodError with the first ISSUES_MAX faults, or some more
 */
export async function parseInPieces<S extends z.ZodType>(
  schema: S,
  value: unknown,
  pause: Pause,
): Promise<z.output<S>> {
  const issues: z.core.$ZodIssue[] = [];
  const parseAtOnce = (type: AnyType, one: unknown, path: PropertyKey[]): unknown => {
    const parsed = z.safeParse(type, one);
    if (parsed.success) return parsed.data;
    issues.push(...parsed.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
    return undefined;
  };
  const parse = async (type: AnyType, one: unknown, path: PropertyKey[]): Promise<unknown> => {
    const inner = innerType(type, one);
    if (!holdsLongList(inner, one)) return parseAtOnce(type, one, path);
    if (isListType(inner) && Array.isArray(one)) {
      const { element, checks = [] } = inner._zod.def;
      // Checks the number of entries first.
      parseAtOnce(z.array(z.unknown()).check(...(checks as z.core.$ZodCheck<unknown[]>[])), one, path);
      const entries: unknown[] = [];
      for (const [index, entry] of one.entries()) {
        if (issues.length >= ISSUES_MAX) break;
        entries.push(await parse(element, entry, [...path, index]));
        await pause();
      }
      return entries;
    }
    const fields: Record<string, unknown> = {};
    for (const [key, field] of fieldsOf(inner)) {
      const parsed = await parse(field, (one as Record<string, unknown>)[key], [...path, key]);
      if (parsed !== undefined) fields[key] = parsed;
    }
    return fields;
  };
  const result = await parse(schema, value, []);
  if (issues.length > 0) throw new z.ZodError(issues);
  // Sound: each part was parsed with its part of the schema.
  return result as z.output<S>;
}

/** The same as `JSON.stringify(value)`, in several pieces of text, but pauses between the entries of long lists. */
export async function stringifyInPieces(value: unknown, pause: Pause): Promise<string[]> {
  const pieces: string[] = [];
  let piece = '';
  const write = (text: string): void => {
    piece += text;
    if (piece.length < PIECE_LENGTH) return;
    pieces.push(piece);
    piece = '';
  };
  const writeValue = async (one: unknown, depth: number): Promise<void> => {
    if (!isLong(one, depth)) return write(JSON.stringify(one));
    const isList = Array.isArray(one);
    write(isList ? '[' : '{');
    let separator = '';
    for (const [key, entry] of isList ? one.entries() : Object.entries(one as object)) {
      if (entry === undefined && !isList) continue;
      write(isList ? separator : `${separator}${JSON.stringify(key)}:`);
      separator = ',';
      await writeValue(entry, depth - 1);
      await pause();
    }
    write(isList ? ']' : '}');
  };
  await writeValue(value, LIST_DEPTH);
  if (piece !== '') pieces.push(piece);
  return pieces;
}

/** Minimum number of characters in a piece of text that is passed on. */
const PIECE_LENGTH = 32_768;
/** How deep in an answer a long list may be: the channels of the members of the answer's list `res`. */
const LIST_DEPTH = 5;

function isLong(value: unknown, depth: number): boolean {
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length > LONG || value.some((entry) => isLong(entry, depth - 1));
  return Object.values(value).some((entry) => isLong(entry, depth - 1));
}

type ListType = z.core.$ZodArray;
const isListType = (type: AnyType): type is ListType => type._zod.def.type === 'array';

/** The fields of a plain object type; types with checks of the whole object can't be parsed field by field. */
function fieldsOf(type: AnyType): [string, AnyType][] {
  const { def } = type._zod;
  if (def.type !== 'object' || (def.checks?.length ?? 0) > 0) return [];
  const { shape, catchall } = def as z.core.$ZodObjectDef;
  return catchall === undefined ? Object.entries(shape) : [];
}

/** Whether parsing finds a list of more than LONG entries. It goes as deep as the schema, however deep the value is. */
function holdsLongList(type: AnyType, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isListType(type)) {
    const { element } = type._zod.def;
    return (
      Array.isArray(value) && (value.length > LONG || value.some((one) => holdsLongList(innerType(element, one), one)))
    );
  }
  return fieldsOf(type).some(([key, field]) => {
    const one = (value as Record<string, unknown>)[key];
    return holdsLongList(innerType(field, one), one);
  });
}

/** The type that parses a value: unwraps optional and default types, and picks the value's alternative of a union. */
function innerType(type: AnyType, value: unknown): AnyType {
  const { def } = type._zod;
  if (value !== undefined && (def.type === 'optional' || def.type === 'default')) {
    return innerType((def as z.core.$ZodOptionalDef | z.core.$ZodDefaultDef).innerType, value);
  }
  if (def.type !== 'union' || !('discriminator' in def) || typeof value !== 'object' || value === null) return type;
  const { discriminator, options } = def as z.core.$ZodDiscriminatedUnionDef;
  const said = (value as Record<string, unknown>)[discriminator];
  const chosen = options.find((option) => option._zod.propValues?.[discriminator]?.has(said as z.core.util.Primitive));
  return chosen ?? type;
}
