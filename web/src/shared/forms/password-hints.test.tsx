import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { passwordFault, passwordHint } from './field-rules.ts';

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
  expect(passwordHint(password, { personal, common })).toBe('personal'),
);

test.each(['dragon', 'DRAGON', ' letmein'])('AUTH13: "%s" is hinted at as common', (password) =>
  expect(passwordHint(password, { personal, common })).toBe('common'),
);

test.each(['camille2', 'dragons', '???', 'correct horse', 'x'])('AUTH13: "%s" is neither', (password) => {
  expect(['personal', 'common']).not.toContain(passwordHint(password, { personal, common }));
});

test.each([
  ['dragon', undefined],
  ['', undefined],
  ['1', 'short'],
  ['camille.d', 'long'],
])('while the list is not there, the length of "%s" alone counts', (password, hint) =>
  expect(passwordHint(password, { personal: [], common: undefined })).toBe(hint),
);

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
  expect(screen.getByText(/reprend le nom, l’identifiant ou le nom du logiciel/)).toBeVisible();
  expect(screen.getByText('Il reste accepté.')).toBeVisible();
  expect(screen.getByText('Solidité : faible')).toBeVisible();
  await app.user.clear(password);
  await app.user.type(password, 'sunshine');
  expect(await screen.findByText(/est l’un des plus courants/)).toBeVisible();
  await app.user.clear(password);
  await app.user.type(password, 'Cheval-Agrafe-42');
  expect(screen.getByText('Plus de 8 caractères : plus sûr.')).toBeVisible();
  expect(screen.queryByText(/trop long/)).toBeNull();
  expect(screen.queryByText('Il reste accepté.')).toBeNull();
  await app.user.clear(password);
  await app.user.type(password, '   ');
  await app.user.click(screen.getByRole('button', { name: 'S’inscrire' }));
  expect(await screen.findByText('Un mot de passe ne peut pas être fait uniquement d’espaces.')).toBeVisible();
});

test.each(['sunshine', '1', 'Cheval-Agrafe-42'])('AUTH13: on signing in nothing is said of "%s"', async (typed) => {
  const app = await renderApp({ at: '/signin' });
  await app.user.type(await screen.findByLabelText('Mot de passe'), typed);
  expect(screen.queryByText(/trop (?:court|long)|plus courants|accepté/)).toBeNull();
});
