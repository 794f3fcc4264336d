import { expect, test } from 'vitest';
import {
  formatChange,
  formatClock,
  formatDateTime,
  formatDuration,
  formatList,
  formatMessageTime,
  formatRecentTime,
  formatShortDay,
  initials,
  isolated,
  memberName,
  nameDirection,
  nameForInitials,
} from './format.ts';

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

test('of today the time is enough', () => {
  const at = new Date(2026, 1, 5, 9, 5).toISOString();
  expect(formatRecentTime(at, 'fr', new Date(2026, 1, 5, 23, 59))).toBe('09:05');
  expect(formatRecentTime(at, 'fr', new Date(2026, 1, 6, 0, 0))).toBe('05 févr. 2026 09:05');
});

test('midnight is 00, never 24', () => {
  expect(formatDateTime('2026-02-05T00:00:00.000Z', 'en', 'UTC')).toBe('05 Feb 2026 00:00');
  expect(formatClock(new Date(2026, 1, 5, 0, 0, 7).getTime(), 'en')).toBe('00:00:07');
});

test('only a name that runs from right to left is isolated in a sentence', () => {
  expect(isolated('Camille')).toBe('Camille');
  expect(isolated('محمد')).toBe('\u2068محمد\u2069');
  expect(isolated('\u{1e900}\u{1e901}')).toBe('\u2068\u{1e900}\u{1e901}\u2069');
});

test('[NAME5] names that stand together are isolated from each other, and keep their order', () => {
  const dana = { firstName: 'דנה', lastName: 'כהן', pseudo: 'PC 1', display_name: 'PC 1' };
  const together = memberName(dana);
  expect(together).toBe('\u2068דנה כהן\u2069 · PC 1');
  expect(nameDirection(together)).toBe('ltr');
  expect(isolated(together)).toBe(together);
  const alone = memberName({ ...dana, pseudo: '', display_name: 'דנה כהן' });
  expect(alone).toBe('דנה כהן');
  expect(nameDirection(alone)).toBe('auto');
  expect(formatList(['דנה', 'Max'], 'en')).toBe('\u2068דנה\u2069 and Max');
});

test.each([
  ['fr', 3_900_000, '1 h 5 min'],
  ['en', 3_900_000, '1 hr 5 min'],
  ['de', 3_900_000, '1 Std. 5 Min.'],
  ['fr', 723_000, '12 min 3 s'],
  ['fr', 7_400, '7 s'],
  ['fr', 0, '0 s'],
  ['fr', 80, '1 s'],
  ['fr', 7_200_000, '2 h'],
] as const)('durations in %s: %i ms are %s', (language, ms, shown) => {
  expect(formatDuration(ms, language).replaceAll(/\s/gu, ' ')).toBe(shown);
});

test('a growth has its sign, a day is that of the calendar wherever it is read', () => {
  expect(formatChange(12.5, 'fr').replaceAll(/\s/gu, ' ')).toBe('+12,5 %');
  expect(formatChange(-3, 'en')).toBe('-3%');
  expect(formatShortDay('2026-11-01', 'de')).toBe('1. Nov.');
});

test.each([
  [{ firstName: 'Camille', lastName: 'Durand', pseudo: 'CAM' }, 'Camille Durand · CAM'],
  [{ firstName: 'Camille', lastName: 'Durand', pseudo: '' }, 'Camille Durand'],
  [{ firstName: '', lastName: '', pseudo: 'CAM' }, 'CAM'],
  [{ firstName: 'Cam', lastName: '', pseudo: 'Cam ' }, 'Cam'],
  [{ firstName: ' ', lastName: '', pseudo: ' ' }, '—'],
])('%o is called %s', (member, name) => {
  expect(memberName({ ...member, display_name: '' })).toBe(name);
});

test.each([
  [{ firstName: 'Camille', lastName: 'Aubert', pseudo: 'PC 1' }, 'CA'],
  [{ firstName: 'Camille', lastName: '', pseudo: 'PC 1' }, 'C'],
  [{ firstName: '', lastName: '', pseudo: 'PC 1' }, 'P1'],
  [{ firstName: '', lastName: '', pseudo: '', identifier: 'camille@example.org' }, 'CO'],
])('[ROOM21] the initials of %o are %s, whatever the pseudo', (person, letters) => {
  expect(initials(nameForInitials({ ...person, display_name: '' }))).toBe(letters);
});

test('whoever has neither name nor pseudo is called by the login, where that is known', () => {
  const nameless = { firstName: '', lastName: ' ', pseudo: '', display_name: '' };
  expect(memberName({ ...nameless, identifier: 'camille@example.org' })).toBe('camille@example.org');
});

test.each([
  ['Nadia Ferreira', 'NF'],
  ['Jean-Baptiste de La Rochefoucauld', 'JR'],
  ['Zoé', 'Z'],
  ['  ', '?'],
  ['😀', '?'],
  ['Poste 7', 'P7'],
  ['🚑 Équipe Nord', 'ÉN'],
  ['😀 CAM', 'C'],
  ['𝒜da Lovelace', '𝒜L'],
])('the initials of %s are %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});
