import { expect, test } from 'vitest';
import { initials, memberName, nameForInitials } from './member-name.ts';

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
