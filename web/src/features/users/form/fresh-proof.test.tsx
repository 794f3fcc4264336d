import { notifications } from '@mantine/notifications';
import { verifyPassword } from '@pressel/contract/auth';
import { getUserById, type User, updateUserData, uploadUserPhoto } from '@pressel/contract/users';
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { userOf } from '#test/samples.ts';

// Mantine keeps notifications in its module, from test to test.
afterEach(() => notifications.clean());

const lea = userOf(2, 'Léa', 'Martin');
const dialogNamed = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const QUESTION = 'Confirmez votre mot de passe';
const AGAIN = /Votre dernière confirmation remonte à plus de cinq minutes/;

/** Opens the edit dialog with a last name typed, and a proof that has expired by the time of sending. */
async function openWithOldProof() {
  let now: User = lea;
  let isProven = false;
  const app = await renderApp({
    at: `/usersList?panel=${lea.id}`,
    signedIn: {},
    prepare: (api) => {
      api.on(getUserById, () => ({ success: true, res: now }));
      api.on(verifyPassword, ({ password }) => {
        isProven = password === 'mine';
        return { success: true, result: isProven };
      });
      api.on(updateUserData, () => {
        if (!isProven) throw new ApiError('verification_required');
        return { success: true, result: 'ok' };
      });
    },
  });
  await answer(app, 'mine', 'Continuer');
  const form = await dialogNamed(/^Modifier le profil/);
  await app.user.type(await form.findByLabelText('Nom'), '-Petit');
  isProven = false;
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  expect(await screen.findByText(AGAIN)).toBeVisible();
  return {
    app,
    form,
    change: (user: User) => {
      now = user;
    },
  };
}
async function answer(app: AppUnderTest, password: string, button: string) {
  const question = await dialogNamed(QUESTION);
  await app.user.type(question.getByLabelText('Votre mot de passe'), password);
  await app.user.click(question.getByRole('button', { name: button }));
  return question;
}

test('AUTH4: a proof that is over is asked for in place, and then what was typed is saved', async () => {
  const { app } = await openWithOldProof();
  const question = await answer(app, 'no', 'Confirmer et enregistrer');
  expect(await question.findByText('Mot de passe incorrect')).toBeVisible();
  expect(app.api.inputs(updateUserData)).toHaveLength(1);
  await app.user.clear(question.getByLabelText('Votre mot de passe'));
  await answer(app, 'mine', 'Confirmer et enregistrer');
  expect(await screen.findByText('Coéquipier modifié')).toBeVisible();
  const [first, second, ...more] = app.api.inputs(updateUserData);
  expect(second).toMatchObject({ lastName: 'Martin-Petit', version: 1 });
  expect([second, more]).toEqual([first, []]);
});

test('AUTH4: Escape declines, the form stays as it was and says what is missing, and can be sent again', async () => {
  const { app, form } = await openWithOldProof();
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByText(AGAIN)).toBeNull());
  expect(screen.queryByText('Abandonner vos modifications ?')).toBeNull();
  expect(form.getByRole('alert')).toHaveTextContent('Saisissez d’abord votre propre mot de passe.');
  expect(form.getByLabelText('Nom')).toHaveValue('Martin-Petit');
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  await answer(app, 'mine', 'Confirmer et enregistrer');
  expect(await screen.findByText('Coéquipier modifié')).toBeVisible();
});

test('AUTH4: what somebody else changed meanwhile is asked about, not undone', async () => {
  const { app, form, change } = await openWithOldProof();
  change({ ...lea, version: 2, lastName: 'Moreau' });
  app.realtime.tell('changed', { what: 'users' });
  expect(await form.findByText('Moreau')).toBeVisible();
  await answer(app, 'mine', 'Confirmer et enregistrer');
  expect(await form.findByText(/Choisissez une valeur pour chaque champ/)).toBeVisible();
  expect(app.api.inputs(updateUserData)).toHaveLength(1);
});

test('AUTH4: a photo that is taken away asks for it in place as well', async () => {
  let isProven = false;
  const app = await renderApp({
    at: `/usersList?panel=${lea.id}`,
    signedIn: {},
    prepare: (api) => {
      api.on(getUserById, () => ({ success: true, res: { ...lea, photo_url: '/photo.webp' } }));
      api.on(verifyPassword, () => {
        isProven = true;
        return { success: true, result: true };
      });
      api.on(uploadUserPhoto, () => {
        if (!isProven) throw new ApiError('verification_required');
        return { success: true, photo_url: null };
      });
    },
  });
  await answer(app, 'mine', 'Continuer');
  const form = await dialogNamed(/^Modifier le profil/);
  await app.user.click(await form.findByRole('button', { name: 'Retirer' }));
  isProven = false;
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  await answer(app, 'mine', 'Confirmer et enregistrer');
  expect(await screen.findByText('Coéquipier modifié')).toBeVisible();
  expect(app.api.inputs(uploadUserPhoto)).toHaveLength(2);
});
