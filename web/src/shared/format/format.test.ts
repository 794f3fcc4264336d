import { expect, test } from 'vitest';
import { formatClock, formatDateTime, formatMessageTime, inSentence } from './format.ts';

test.each([
  ['fr', '05 févr. 2026 01:05'],
  ['en', '05 Feb 2026 01:05'],
  ['de', '05 Feb. 2026 01:05'],
] as const)("dates are 'dd MMM yyyy HH:mm' in %s, in the user's zone", (language, shown) => {
  expect(formatDateTime('2026-02-05T00:05:00.000Z', language, 'Europe/Paris')).toBe(shown);
});

test.each([
  ['fr', '5 févr. , 01:05'],
  ['en', '5 Feb , 01:05'],
  ['de', '5 Feb. , 01:05'],
] as const)("times of messages are 'd MMM , HH:mm' in %s", (language, shown) => {
  expect(formatMessageTime('2026-02-05T00:05:00.000Z', language, 'Europe/Paris')).toBe(shown);
});

test('midnight is 00, never 24', () => {
  expect(formatDateTime('2026-02-05T00:00:00.000Z', 'en', 'UTC')).toBe('05 Feb 2026 00:00');
  expect(formatClock(new Date(2026, 1, 5, 0, 0, 7).getTime(), 'en')).toBe('00:00:07');
});

test('only a name that runs from right to left is isolated in a sentence', () => {
  expect(inSentence('Camille')).toBe('Camille');
  expect(inSentence('محمد')).toBe('\u2068محمد\u2069');
});
