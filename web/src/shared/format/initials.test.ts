import { expect, test } from 'vitest';
import { initials } from './initials.ts';

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
