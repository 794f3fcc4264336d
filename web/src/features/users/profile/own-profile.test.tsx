import { notifications } from '@mantine/notifications';
import { isValidToken, verifyPassword } from '@pressel/contract/auth';
import { getUserById, type User, updatePasswordUser, updateUserData, uploadUserPhoto } from '@pressel/contract/users';
import { screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { sampleId, sessionUserOf, userOf } from '#test/samples.ts';

// Mantine keeps notifications in its module, from test to test.
afterEach(() => notifications.clean());

const own: User = { ...userOf(1, 'Camille', 'Durand'), role: 'member', photo_url: '/photo.jpg' };
async function openProfile(prepare: (api: ApiDouble) => void = () => {}) {
  const app = await renderApp({
    at: '/profile',
    signedIn: { role: 'member' },
    prepare: (api) => {
      api.on(getUserById, () => ({ success: true, res: own }));
      prepare(api);
    },
  });
  await screen.findByLabelText('Prénom');
  return app;
}

test('a member saves their own names without role and rights, and the top bar follows', async () => {
  const app = await openProfile((api) => api.on(updateUserData, () => ({ success: true, result: 'ok' })));
  await app.user.type(screen.getByLabelText('Prénom'), ' Zoé');
  app.api.on(isValidToken, () => ({
    success: true,
    user: sessionUserOf({ role: 'member', firstName: 'Camille Zoé' }),
  }));
  await app.user.click(screen.getByRole('button', { name: 'Enregistrer' }));
  expect(await screen.findByRole('button', { name: 'Compte de Camille Zoé Durand' })).toBeVisible();
  expect(app.api.inputs(updateUserData)).toEqual([
    {
      id: sampleId(1),
      firstName: 'Camille Zoé',
      lastName: 'Durand',
      pseudo: 'CAM',
      phone_number: '',
      password: '',
      version: 1,
    },
  ]);
});

test('a photo taken away is the only thing sent', async () => {
  const app = await openProfile((api) => api.on(uploadUserPhoto, () => ({ success: true, photo_url: null })));
  await app.user.click(screen.getByRole('button', { name: 'Retirer' }));
  await app.user.click(screen.getByRole('button', { name: 'Enregistrer' }));
  expect(await screen.findByText('Profil enregistré')).toBeVisible();
  expect(app.api.inputs(uploadUserPhoto)).toEqual([{ userId: sampleId(1), photo_url: '' }]);
  expect(app.api.inputs(updateUserData)).toEqual([]);
});

test('one’s own password is changed only after the one of now was right', async () => {
  const app = await openProfile((api) => {
    api.on(verifyPassword, ({ password }) => ({ success: true, result: password === 'old' }));
    api.on(updatePasswordUser, () => ({ success: true }));
  });
  const submit = screen.getByRole('button', { name: 'Changer le mot de passe' });
  await app.user.type(screen.getByLabelText('Mot de passe actuel'), 'wrong');
  await app.user.type(screen.getByLabelText('Nouveau mot de passe'), 'new');
  await app.user.type(screen.getByLabelText('Confirmer le mot de passe'), 'new');
  await app.user.click(submit);
  expect(await screen.findByText('Mot de passe incorrect')).toBeVisible();
  expect(app.api.inputs(updatePasswordUser)).toEqual([]);
  await app.user.clear(screen.getByLabelText('Mot de passe actuel'));
  await app.user.type(screen.getByLabelText('Mot de passe actuel'), 'old');
  await app.user.click(submit);
  expect(await screen.findByText('Vos sessions sur les autres appareils ont pris fin.')).toBeVisible();
  expect(app.api.inputs(updatePasswordUser)).toEqual([{ id: sampleId(1), password: 'new' }]);
  expect(screen.getByLabelText('Mot de passe actuel')).toHaveValue('');
});
