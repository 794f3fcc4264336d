import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { describeError, errorText } from './log.ts';

test('an error is logged with its cause, code and frames, without the parameters of its query', () => {
  const cause = Object.assign(new Error('null value'), { code: '23502', constraint: 'c', detail: 'row (geheim)' });
  const line = describeError(new DrizzleQueryError('insert into t values ($1)', ['geheim'], cause));
  expect(line).toMatchObject({
    type: 'DrizzleQueryError',
    message: 'Failed query: insert into t values ($1)',
    cause: { type: 'Error', message: 'null value', code: '23502', constraint: 'c' },
  });
  expect(line).toHaveProperty('stack', expect.stringContaining('log.test.ts'));
  expect(JSON.stringify(line)).not.toContain('geheim');
});

test('what an error holds or was caused by is logged too, to a depth, and without values', () => {
  const refused = Object.assign(new Error('invalid input syntax for type uuid: "geheim"'), { code: '22P02' });
  const query = new DrizzleQueryError('select $1', ['geheim'], refused);
  const endless = new Error('endless');
  endless.cause = endless;
  const all = new AggregateError([query, new Error('outer', { cause: query }), endless, 'geheim'], 'several');
  const line = describeError(all);
  expect(line).toMatchObject({
    type: 'AggregateError',
    errors: [
      { message: 'Failed query: select $1', cause: { message: 'invalid input syntax for type uuid…', code: '22P02' } },
      { message: 'outer', cause: { cause: { code: '22P02' } } },
      { message: 'endless', cause: { message: 'endless' } },
    ],
  });
  expect(errorText(all)).toContain('by DrizzleQueryError: Failed query: select $1');
  expect(JSON.stringify(line) + errorText(all)).not.toContain('geheim');
});

test.each([
  ['JSON.parse', () => JSON.parse('geheim'), 'Unexpected token …'],
  ['JSON.parse within a text', () => JSON.parse('{"a": geheim}'), 'Unexpected token …'],
  [
    'PostgreSQL in French',
    () => {
      throw Object.assign(new Error('syntaxe en entrée invalide : « geheim »'), { code: '22P02' });
    },
    'syntaxe en entrée invalide …',
  ],
])('what %s quotes of a value is not logged', (_who, fail, message) => {
  expect.assertions(1);
  try {
    fail();
  } catch (error) {
    expect(describeError(error)).toMatchObject({ message });
  }
});

test('the same as a text, for who has no log', () => {
  const cause = new TypeError('null value', { cause: 'geheim' });
  const text = errorText(new DrizzleQueryError('insert into t values ($1)', ['geheim'], cause));
  expect(text).toMatch(/^DrizzleQueryError: Failed query: insert into t values \(\$1\)\n +at .*log\.test\.ts/u);
  expect(text).toMatch(/\nby TypeError: null value\n +at /u);
  expect(text).not.toContain('geheim');
  expect(errorText('geheim')).toBe('string');
});

test.each(['secret', 7, null, { token: 'x' }])(
  'what is thrown and is no error is named by its type alone: %j',
  (thrown) => {
    expect(describeError(thrown)).toBe(typeof thrown);
  },
);
