import { expect, test } from 'vitest';
import type { ImportKind } from '../import-kinds.ts';
import { otherKindOf } from './likely-kind.ts';

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
