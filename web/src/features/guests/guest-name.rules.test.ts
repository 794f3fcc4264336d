import { guestName } from '@pressel/contract/guests';
import { expect, test } from 'vitest';
import { inWords, nameFaultOf } from './guest-name.rules.ts';

test.each([
  ['Julie', undefined],
  ['  ', 'required'],
  ['\u200b\u202e', 'required'],
  ['x'.repeat(61), 'tooLong'],
  ['x'.repeat(1_000), 'tooLong'],
])('the fault of %j is %s', (text, fault) => {
  expect(nameFaultOf(guestName(), text)).toBe(fault);
});

test('a name is one line that hides nothing', () => {
  expect(guestName().parse(' Ju\u200blie\n\u202e(admin) ')).toBe('Julie (admin)');
});

const HOUR_MS = 3_600_000;
test.each([
  [-5, 'in 1 minute'],
  [30_000, 'in 1 minute'],
  [HOUR_MS, 'in 60 minutes'],
  [7.5 * HOUR_MS, 'in 8 hours'],
  [48 * HOUR_MS, 'in 48 hours'],
  [30 * 24 * HOUR_MS, 'in 30 days'],
])('%i ms are %s', (ms, words) => {
  expect(inWords(ms, 'en')).toBe(words);
});
