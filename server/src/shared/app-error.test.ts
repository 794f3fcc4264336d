import { ERRORS, failure } from '@pressel/contract/errors';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { AppError, failureBody, issuesOf, parseInput, parseLongInput } from './app-error.ts';

const ANYTHING = z.unknown();
/** Whether a payload is refused for its text, by both ways of parsing. */
async function holdsUnstorableText(value: unknown): Promise<boolean> {
  const atOnce = (() => {
    try {
      parseInput(ANYTHING, value);
      return false;
    } catch {
      return true;
    }
  })();
  const inPieces = await parseLongInput(ANYTHING, value, async () => undefined).then(
    () => false,
    () => true,
  );
  expect(inPieces).toBe(atOnce);
  return inPieces;
}

describe('text that PostgreSQL cannot store', () => {
  test.each([
    ['\u0000'],
    ['a\u0000b'],
    ['\ud800'],
    ['\udc00\ud800'],
    [{ a: [{ b: '\ud800' }] }],
    [{ 'a\u0000': 1 }],
    [[[['\u0000']]]],
    [JSON.parse('{"__proto__":"\\u0000"}')],
  ])('is found in %j', async (value) => expect(await holdsUnstorableText(value)).toBe(true));

  test.each([[''], ['😀'], ['\u0001'], [0], [null], [undefined], [{ a: [true, 'é'] }], [new Uint8Array(3)]])(
    'is not in %j',
    async (value) => expect(await holdsUnstorableText(value)).toBe(false),
  );

  test('is looked for at any depth', async () => {
    const deep = (end: string) => JSON.parse(`${'['.repeat(200_000)}${JSON.stringify(end)}${']'.repeat(200_000)}`);
    expect(await holdsUnstorableText(deep('\u0000'))).toBe(true);
    expect(await holdsUnstorableText(deep('x'))).toBe(false);
  });

  test('is not looked for in binary, byte by byte', async () => {
    const bytes = new Uint8Array(3);
    Object.defineProperty(bytes, 'note', { enumerable: true, get: () => expect.unreachable() });
    expect(await holdsUnstorableText({ a: bytes })).toBe(false);
  });
});

test('[BUDGET8] a long payload is looked through, and parsed, with pauses', async () => {
  let pauses = 0;
  const rows = Array.from({ length: 5_000 }, (_, row) => ({ row, name: `Nord ${row}` }));
  const pause = async () => {
    pauses += 1;
  };
  const parsed = await parseLongInput(z.object({ rows: z.array(z.object({ name: z.string() })) }), { rows }, pause);
  expect(parsed.rows).toHaveLength(5_000);
  // One for each row, and one for each thousand keys and values.
  expect(pauses).toBe(5_000 + Math.floor((5_000 * 5 + 3) / 1_000));
});

test('a list of a million entries is refused before anybody looks into it', () => {
  const entries = Array.from({ length: 1_000_000 }, () => ({
    get x() {
      return expect.unreachable();
    },
  }));
  expect(() => parseInput(z.object({ a: z.unknown() }), { a: entries })).toThrow('malformed');
});

describe('what a client is told of its faults', () => {
  const schema = z.object({ a: z.object({ b: z.array(z.int()) }) });

  test('is where and what, never the value', () => {
    const attempt = () => parseInput(schema, { a: { b: [1, 'secret'] } });
    expect(attempt).toThrow(AppError);
    expect(attempt).toThrow(
      expect.objectContaining({
        code: 'malformed',
        params: { issues: [{ path: 'a.b.1', code: 'invalid_type' }] },
      }),
    );
  });

  test('is at most twenty faults', () => {
    const { error } = schema.safeParse({ a: { b: Array(1000).fill('x') } });
    expect(error && issuesOf(error)).toHaveLength(20);
  });

  test('is refused for unstorable text even where the schema accepts anything', () => {
    expect(() => parseInput(z.unknown(), { x: '\u0000' })).toThrow('malformed');
  });

  test.each(Object.keys(ERRORS) as (keyof typeof ERRORS)[])('of %s is a body in the contract’s shape', (code) => {
    expect(failure.parse(failureBody(code))).toEqual({ success: false, result: ERRORS[code].text, code, params: {} });
  });
});
