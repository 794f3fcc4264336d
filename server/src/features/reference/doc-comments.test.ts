import { expect, test } from 'vitest';
import { readDocComments } from './doc-comments.ts';

const read = (source: string) =>
  readDocComments(source).flatMap(({ path, text }) => (text === null ? [] : [[path.join('.'), text]]));

test('comments are found at names and keys, however deep', () => {
  const source = `
    import { z } from './zod.ts';
    /** A call. */
    export const call = define({
      path: '/x{', // not a { bracket
      body: z.object({
        ...other,
        /** The one,
         * on two lines. */
        one: z.string().regex(/^[{'"]$/u),
        list: z.array(z.object({
          /** Deep. */
          'quoted name': z.int(),
          shorthand,
          /** Last (spec §3, x), of all (RULE12). */
          last,
        })),
      }),
      /** After it. */
      after: true,
    });
    /** A part. */
    const part = z.union([z.object({ /** First. */ a: z.int() }), z.object({ /** Second. */ b: z.int() })]);
    export type T = z.infer<typeof part>;
    /** No value. */
    export interface I { /** Nor this. */ readonly x: string }
  `;
  expect(read(source)).toEqual([
    ['call', 'A call.'],
    ['call.body.one', 'The one, on two lines.'],
    ['call.body.list.quoted name', 'Deep.'],
    ['call.body.list.last', 'Last, of all.'],
    ['call.after', 'After it.'],
    ['part', 'A part.'],
    ['part.a', 'First.'],
    ['part.b', 'Second.'],
  ]);
});

test('a key that stands for the constant of its name is known', () => {
  const found = readDocComments(
    'const seq = 1;\nexport const a = f({ seq, other: seq, last });\nexport const b = { seq: g({ x }) };',
  );
  expect(found.filter(({ isShorthand }) => isShorthand).map(({ path }) => path.join('.'))).toEqual([
    'a.seq',
    'a.last',
    'b.seq.x',
  ]);
});

test('a comment that is followed by something else is nobody’s', () => {
  expect(read('const a = f(/** no */ 1);\n/* neither */\nexport const b = { ...c, d: 1 };')).toEqual([]);
});
