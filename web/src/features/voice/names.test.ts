import { expect, test } from 'vitest';
import { initials } from './names.ts';

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
