import { expect, test } from 'vitest';
import { initials, inSentence } from './names.ts';

test.each([
  ['Nadia Ferreira', 'NF'],
  ['Jean-Baptiste de La Rochefoucauld', 'JR'],
  ['Zoé', 'Z'],
  ['  ', '?'],
  ['😀', '?'],
  ['Poste 7', 'P7'],
  ['𝒜da Lovelace', '𝒜L'],
])('the initials of %s are %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});

test('only a name that runs from right to left is isolated in a sentence', () => {
  expect(inSentence('Camille')).toBe('Camille');
  expect(inSentence('محمد')).toBe('\u2068محمد\u2069');
});
