import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { passwordFault, passwordHints } from './field-rules.ts';

const personal = ['camille.durand@example.org', 'Camille', 'Durand', '', 'ÉCHO 1'];
const common = new Set(['dragon', 'letmein']);

test.each([
  'camille.durand@example.org',
  'Camille.Durand',
  'camille',
  'DURAND',
  'CamilleDurand',
  'durand camille',
  'echo1',
  'Écho 1 ',
  'pressel',
  'Pressel!',
])('AUTH13: "%s" is hinted at as the name, the login or the product', (password) =>
  expect(passwordHints(password, { personal, common })).toContain('personal'),
);

test.each(['dragon', 'DRAGON', ' letmein'])('AUTH13: "%s" is hinted at as common', (password) =>
  expect(passwordHints(password, { personal, common })).toContain('common'),
);

test.each(['camille2', 'dragons', '???', 'correct horse', 'x'])('AUTH13: "%s" is neither', (password) => {
  const hints = passwordHints(password, { personal, common });
  expect(hints).not.toContain('personal');
  expect(hints).not.toContain('common');
});

test('where a password is only given, and while the list is not there, the length alone counts', () => {
  expect(passwordHints('dragon')).toEqual([]);
  expect(passwordHints('camille.durand')).toEqual(['long']);
  expect(passwordHints('dragon', { personal: [], common: undefined })).toEqual([]);
  expect(passwordHints('')).toEqual([]);
  expect(passwordHints('1')).toEqual(['short']);
});

test.each([
  ['', 'required'],
  ['   ', 'blankPassword'],
  ['\u00a0\u200b', 'blankPassword'],
  [' x ', undefined],
])('AUTH12: the new password "%s" is at fault as %s', (password, fault) => expect(passwordFault(password)).toBe(fault));

test('AUTH13: the forms hint while one types, and send what was typed all the same', async () => {
  const app = await renderApp({ at: '/signup' });
  await app.user.type(await screen.findByLabelText('Prénom'), 'Zébulon');
  const password = screen.getByLabelText('Mot de passe');
  await app.user.type(password, 'Zebulon');
  expect(screen.getByText(/est le nom, l’identifiant ou le nom du logiciel/)).toBeVisible();
  expect(screen.getByText('Il reste accepté.')).toBeVisible();
  expect(screen.getByText('Solidité : faible')).toBeVisible();
  await app.user.clear(password);
  await app.user.type(password, 'sunshine');
  expect(await screen.findByText(/est l’un des plus courants/)).toBeVisible();
  await app.user.clear(password);
  await app.user.type(password, '   ');
  await app.user.click(screen.getByRole('button', { name: 'S’inscrire' }));
  expect(await screen.findByText('Un mot de passe ne peut pas être fait uniquement d’espaces.')).toBeVisible();
});

test('AUTH13: on signing in nothing is said of how common a password is', async () => {
  const app = await renderApp({ at: '/signin' });
  await app.user.type(await screen.findByLabelText('Mot de passe'), 'sunshine');
  expect(screen.queryByText(/est l’un des plus courants/)).toBeNull();
});
