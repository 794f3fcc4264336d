import { describe, expect, test } from 'vitest';
import de from '#src/locales/de/exports.json';
import en from '#src/locales/en/exports.json';
import fr from '#src/locales/fr/exports.json';
import {
  isModelExample,
  isUnclear,
  lackingFields,
  matchColumns,
  missingFields,
  otherKindOf,
  rowsOf,
} from './columns.ts';
import { fieldOfHeader, headerKey } from './header-words.ts';
import type { ImportKind } from './import-kinds.ts';

describe('[IMP2] a header', () => {
  test.each([
    ['firstName', 'firstName'],
    ['Prénom', 'firstName'],
    [' PRENOM ', 'firstName'],
    ['Vorname', 'firstName'],
    ['Nom', 'lastName'],
    ['Nom de famille', 'lastName'],
    ['Nachname', 'lastName'],
    ['E-mail', 'identifier'],
    ['Login', 'identifier'],
    ['Adresse e-mail', 'identifier'],
    ['Nom d’utilisateur', 'identifier'],
    ['Anmeldename', 'identifier'],
    ['Pseudo', 'pseudo'],
    ['Mot de passe', 'password'],
    ['Passwort', 'password'],
    ['Droit carte', 'mapRight'],
    ['Map access', 'mapRight'],
    ['Kartenzugriff', 'mapRight'],
    ['canal', 'canal'],
    ['Mes canaux', null],
    ['Nom du canal principal', 'canal'],
    ['CANAL 2', 'canal'],
    ['Kanäle', 'canal'],
    ["Droit d'accés à la carte", 'mapRight'],
    ['Téléphone', 'phoneNumber'],
    ['role', 'role'],
    ['Raison', null],
    ['', null],
  ] as const)('%j of a users’ sheet fills %j', (header, field) => {
    expect(fieldOfHeader('users', header)).toBe(field);
  });

  test.each([
    ['name', 'name'],
    ['Nom du canal', 'name'],
    ['Canal', 'name'],
    ['Channel', 'name'],
    ['Kanalname', 'name'],
    ['Raison', null],
  ] as const)('%j of a channels’ sheet fills %j', (header, field) => {
    expect(fieldOfHeader('channels', header)).toBe(field);
  });

  test('is compared without case, accents, spaces and punctuation', () => {
    expect(headerKey(' Accès à la carte ! ')).toBe('accesalacarte');
  });
});

test('[IMP2] the first of two columns with one name fills the field; canal goes over several', () => {
  expect(matchColumns('users', ['Nom', 'Name', 'canal', 'canal 2'])).toEqual(['lastName', null, 'canal', 'canal']);
});

test('[IMP29] says what is missing, and what can be filled in for all rows; canal is neither', () => {
  const mapping = matchColumns('users', ['Prénom', 'Login']);
  expect(missingFields('users', mapping)).toEqual(['lastName']);
  expect(lackingFields('users', mapping)).toEqual(['pseudo', 'password', 'mapRight']);
});

test('[IMP29] columns are asked about while a title is not understood and a field lacks', () => {
  const unclear = (...headers: string[]) => isUnclear('users', { headers, rows: [] }, matchColumns('users', headers));
  expect(unclear('Prénom', 'Nom', 'Login')).toBe(false);
  expect(unclear('Prénom', 'Nom', 'Login', 'Code secret')).toBe(true);
  expect(unclear('Prénom', 'Nom', 'Login', 'Pseudo', 'mdp', 'carte', 'Remarque')).toBe(false);
  expect(unclear('Prénom', 'Nom')).toBe(true);
});

test('[IMP2] rows keep their numbers, join what several columns hold of canal, and have no other keys', () => {
  const headers = ['login', 'canal', '__proto__', 'canal 2'];
  const sheet = { headers, rows: [{ row: 7, cells: ['a@b.fr', 'Nord', 'evil', 'Sud'] }] };
  const [row] = rowsOf(sheet, matchColumns('users', headers));
  expect(row).toEqual({ row: 7, identifier: 'a@b.fr', canal: 'Nord;Sud' });
  expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
});

test('[IMP3] a date is its day in a name, and no text in a password', () => {
  const headers = ['pseudo', 'password'];
  const day = new Date('1990-02-01');
  const [row] = rowsOf({ headers, rows: [{ row: 2, cells: [day, day] }] }, matchColumns('users', headers));
  expect(row).toEqual({ row: 2, pseudo: '1990-02-01', password: false });
});

test.each([
  ['fr', fr],
  ['en', en],
  ['de', de],
])('the example row of the model in %s is known', (_language, { file }) => {
  const example = { row: 2, identifier: file.exampleIdentifier, password: file.examplePassword };
  expect(isModelExample(example)).toBe(true);
  expect(isModelExample({ ...example, password: 'another' })).toBe(false);
  expect(isModelExample({ ...example, identifier: 'someone@example.org' })).toBe(false);
});

test('a row without login and password is no example', () => {
  expect(isModelExample({ row: 2, name: 'Équipe Nord' })).toBe(false);
});

test.each<[ImportKind, string[], ImportKind | undefined]>([
  ['channels', ['Prénom', 'Nom', 'Login', 'Mot de passe', 'canal'], 'users'],
  ['channels', ['Nom', 'E-mail', 'Mot de passe'], 'users'],
  ['channels', ['Nom', 'Responsable', 'E-mail'], undefined],
  ['channels', ['name'], undefined],
  ['channels', ['Bezeichnung'], undefined],
  ['users', ['name'], 'channels'],
  ['users', ['Nom du canal', 'Remarque'], 'channels'],
  ['users', ['Nom', 'Prénom', 'Login'], undefined],
  ['users', ['Bezeichnung'], undefined],
])('[IMP33] imported as %s, a file with the titles %j lists %s', (kind, headers, other) => {
  expect(otherKindOf(kind, { headers, rows: [] })).toBe(other);
});
