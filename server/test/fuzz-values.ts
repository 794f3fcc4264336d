import * as z from 'zod';

export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
}

/** Mulberry32: the same seed gives the same run. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    chance: (probability) => next() < probability,
  };
}

/** `depth` arrays or objects inside each other. */
const nested = (depth: number, asArray: boolean): unknown => {
  let value: unknown = 'end';
  for (let level = 0; level < depth; level += 1) value = asArray ? [value] : { a: value };
  return value;
};

/** An object with keys that poison prototypes as its own; JSON.stringify writes them out. */
const poison = (value: unknown): unknown =>
  JSON.parse(`{"__proto__":${JSON.stringify(value)},"constructor":{"prototype":{"isAdmin":true}},"toString":1}`);

const HOSTILE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  -0,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  'null',
  'undefined',
  '[object Object]',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u200f\ufeff',
  '\uffff',
  '😀'.repeat(500),
  `Z${'\u0300'.repeat(5000)}`,
  'x'.repeat(60_000),
  "'; drop table users; --",
  '%00%2e%2e%2f',
  '{{7*7}}<script>',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '01900000-0000-7000-8000-000000000000',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '{01900000-0000-7000-8000-000000000000}',
  '2026-02-30T25:61:61Z',
  [],
  [[]],
  [null],
  {},
  { length: -1 },
  JSON.parse('{"toJSON":1,"valueOf":2,"then":3}'),
  { $ne: null },
  Array(5000).fill(0),
  Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, index])),
  nested(500, true),
  nested(500, false),
  poison({ role: 'admin' }),
  poison(null),
];

const STRANGE_KEYS = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'then',
  'success',
  'role',
  '0',
  '\u0000',
  '\ud800',
  'é',
];

/** A value that no client should send. */
export const hostile = (random: Random): unknown => random.pick(HOSTILE);

/** The fields of an object's schema. */
const fieldsOf = (schema: z.ZodType): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

type Good = Readonly<Record<string, readonly unknown[]>>;

const goodPayload = (schema: z.ZodType, good: Good, random: Random): Record<string, unknown> =>
  Object.fromEntries(
    fieldsOf(schema).flatMap((field) => {
      const known = good[field];
      return known === undefined ? [] : [[field, random.pick(known)]];
    }),
  );

/** Puts every hostile value into every field of the schema, with good values in the others; then sends each in place of the object. */
export function sweep(schema: z.ZodType, good: Good, random: Random): unknown[] {
  const inFields = fieldsOf(schema).flatMap((field) =>
    HOSTILE.map((value) => ({ ...goodPayload(schema, good, random), [field]: value })),
  );
  return [...inFields, ...HOSTILE];
}

/** A good payload with few or no faults: hostile, missing or unknown fields. Sometimes no object at all. */
export function payloadFor(schema: z.ZodType, good: Good, random: Random): unknown {
  if (random.chance(0.1)) return hostile(random);
  const payload = goodPayload(schema, good, random);
  const fields = fieldsOf(schema);
  while (fields.length > 0 && random.chance(0.5)) payload[random.pick(fields)] = hostile(random);
  if (fields.length > 0 && random.chance(0.1)) delete payload[random.pick(fields)];
  const entries = Object.entries(payload);
  while (random.chance(0.1)) entries.push([random.pick(STRANGE_KEYS), hostile(random)]);
  return Object.fromEntries(entries);
}
