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
