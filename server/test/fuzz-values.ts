import type { ChannelId } from '@pressel/contract/ids';
import fc from 'fast-check';
import * as z from 'zod';
import type { Person } from './build-test-app.ts';
import type { Team } from './factories.ts';

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

const PLAIN = [fc.string({ unit: 'binary' }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)];

/** A value that no client should send: one that did harm elsewhere, or anything that JSON can say. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.anything({ key: fc.string({ unit: 'binary' }), values: PLAIN }) },
);

/** The fields of an object's schema. */
const fieldsOf = (schema: z.ZodType): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

/** Values that fit a field of this name, of any call or event. */
type Good = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** An object with a good value in each field of the schema for which there is one. */
const goodPayload = (schema: z.ZodType, good: Good): fc.Arbitrary<Record<string, unknown>> => {
  const known = fieldsOf(schema).flatMap((field) => {
    const values = good[field];
    return values === undefined ? [] : [[field, values] as const];
  });
  return fc.record(Object.fromEntries(known), { noNullPrototype: true });
};

/** Puts every hostile value into every field of the schema, with good values in the others; then sends each in place of the object. */
export function sweep(schema: z.ZodType, good: Good, seed: number): unknown[] {
  const faults = fieldsOf(schema).flatMap((field) => HOSTILE.map((value) => ({ [field]: value })));
  const payloads = fc.sample(goodPayload(schema, good), { seed, numRuns: faults.length });
  return [...faults.map((fault, at) => ({ ...payloads[at], ...fault })), ...HOSTILE];
}

/** One time in ten a list with one value, else an empty one. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: arbitrary.map((value) => [value]) });

/** A good payload with few or no faults: hostile, missing or unknown fields. Sometimes no object at all. */
export function payloadFor(schema: z.ZodType, good: Good): fc.Arbitrary<unknown> {
  // A call without fields gets one that it doesn't know.
  const field = fc.constantFrom(...(fieldsOf(schema).length > 0 ? fieldsOf(schema) : ['']));
  const object = fc
    .record({
      payload: goodPayload(schema, good),
      faults: fc.array(fc.tuple(field, hostile), { maxLength: 2 }),
      missing: seldom(field),
      unknown: seldom(fc.tuple(fc.constantFrom(...STRANGE_KEYS), hostile)),
    })
    .map(({ payload, faults, missing, unknown }) => {
      const known = [...Object.entries(payload), ...faults].filter(([name]) => !missing.includes(name));
      return Object.fromEntries([...known, ...unknown]);
    });
  return fc.oneof({ weight: 9, arbitrary: object }, { weight: 1, arbitrary: hostile });
}

const IMPORT_ID = '01900000-0000-7000-8000-000000000000';
const CLIENT_ID = '01900000-0000-7000-8000-000000000001';
const sheetRow = (number: number) => ({
  firstName: 'Zoë',
  lastName: 2,
  identifier: `i${number}@example.org`,
  pseudo: '=1+1',
  password: 'wrong',
  mapRight: true,
  canal: 'Nord;"Sud"',
});

/** The user and the channel that calls and events are about. */
interface Targets {
  victim: Person;
  prey: ChannelId;
  team: Team;
}

export function goodValues({ victim, prey, team }: Targets): Good {
  /** A number that no name has yet: without fast-check's bias towards small ones. */
  const fresh = fc.noBias(fc.nat(1e9));
  return {
    userId: fc.constantFrom(victim.id, victim.id.toUpperCase()),
    id: fc.constant(victim.id),
    UserId: fc.constant(victim.id),
    role: fc.constant('member'),
    channelId: fc.constantFrom(prey, prey.toUpperCase()),
    socketId: fc.constant('x'.repeat(20)),
    channelName: fc.oneof(
      fc.constantFrom('Nord', 'N o r d'),
      fresh.map((number) => `C${number}`),
    ),
    userList: fc.constantFrom([], [victim.id, victim.id], [victim.id, team.nord]),
    talkMode: fc.constantFrom('single', 'open'),
    user_email: fc.constantFrom(victim.email, 'nobody@example.org'),
    email: fc.oneof(
      fc.constant(victim.email),
      fresh.map((number) => `u${number}@example.org`),
    ),
    user_password: fc.constant('wrong'),
    password: fc.constant('wrong'),
    firstName: fc.constant('Zoë'),
    lastName: fc.constant('Ø'),
    phone_number: fc.constant(''),
    pseudo: fc.constantFrom('', 'Echo'),
    mapRight: fc.constantFrom(true, false),
    remember: fc.constantFrom(true, false),
    token: fc.constant(team.bo.token),
    room: fc.constantFrom('Nord', 'Sud', ' N\tord'),
    seq: fc.constantFrom(0, 1, 2, 3, Number.MAX_SAFE_INTEGER),
    version: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
    stay: fc.constantFrom('0.', '0.AAAAAAAAAAAAAAAAAAAAAA'),
    resume: fc.constantFrom(null, 'x.y.z'),
    keep: fc.constant(true),
    rooms: fc.constant([{ channelId: team.nord, version: 0 }]),
    queue: fc.constantFrom(true, false),
    micState: fc.constantFrom(true, false),
    sdp: fc.constantFrom({ type: 'offer', sdp: 'v=0' }, { type: 'answer', sdp: 'v=0' }),
    candidate: fc.constantFrom(null, { candidate: '' }, { candidate: 'a', sdpMLineIndex: 0 }),
    offerReceiveID: fc.constant('x'),
    answerReceiveID: fc.constant('x'),
    candidateReceiveID: fc.constant('x'),
    link: fc.constant('l'),
    userData: fc.oneof(
      fc.constantFrom([], [{}, { identifier: 'x', row: 1 }]),
      fresh.map((number) => [sheetRow(number), sheetRow(1), sheetRow(1)]),
    ),
    channelData: fc.oneof(
      fc.constant([]),
      fresh.map((number) => [{ name: `I${number}` }, { name: 'N ord', row: 9 }, {}, { name: 1 }]),
    ),
    importId: fc.constantFrom(IMPORT_ID, IMPORT_ID.toUpperCase()),
    identifiers: fc.constantFrom([], [victim.email, ' X ', '']),
    channelNames: fc.constantFrom([], ['Nord', 'N ord', '']),
    message: fc.constantFrom('x', ' Été\n', '<b>'),
    textMsg: fc.constantFrom('', 'x'),
    text: fc.constantFrom('x', '%', 'é'),
    clientId: fc.constantFrom(CLIENT_ID, CLIENT_ID.toUpperCase()),
    msgId: fc.constant(IMPORT_ID),
    linkId: fc.constant(IMPORT_ID),
    callId: fc.constantFrom(IMPORT_ID, IMPORT_ID.toUpperCase()),
    signal: fc.constantFrom({ type: 'candidate', candidate: null }, { type: 'offer', sdp: 'v=0' }),
    aUserId: fc.constant(victim.id),
    idUser: fc.constant(victim.id),
    macAddress: fc.constantFrom('AA-BB-CC-DD-EE-FF', 'aabbccddeeff'),
    hours: fc.constantFrom(1, 8, 720),
    name: fc.constantFrom('x', 'Zoë'),
    before: fc.constantFrom(1, 2, Number.MAX_SAFE_INTEGER),
    after: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
    around: fc.constantFrom(1, 2, Number.MAX_SAFE_INTEGER),
    from: fc.constantFrom(1, 2),
    to: fc.constantFrom(2, 3, Number.MAX_SAFE_INTEGER),
    limit: fc.constantFrom(1, 200),
    photo_url: fc.constantFrom('', 'data:image/jpeg;base64,/9j/', 'data:image/jpeg;base64,AAAA'),
  };
}
