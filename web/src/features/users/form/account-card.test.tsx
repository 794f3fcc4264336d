import { notifications } from '@mantine/notifications';
import { getServerInfo, signUpUser, verifyPassword } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { getUserById, updateUserData, uploadUserPhoto } from '@pressel/contract/users';
import { screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { type ApiDouble, serverInfoOf } from '#test/api-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { sessionUserOf, userOf } from '#test/samples.ts';

afterEach(() => notifications.clean());

const lea = userOf(2, 'Léa', 'Martin');
const created = { success: true, result: 'Register successfully', user: { id: lea.id, role: 'member' } };
const noChannels = (api: ApiDouble) => api.on(getAllChannels, () => ({ success: true, res: [], totalRecords: 0 }));
const dialog = async (name: RegExp | string) => within(await screen.findByRole('dialog', { name }));
const card = async (name: string) => within(await screen.findByRole('region', { name: `Compte de ${name}` }));
const GENERATED = /^[bcdfghjkmnpqrstvwxz2-9]{4}(?:-[bcdfghjkmnpqrstvwxz2-9]{4}){3}$/u;

/** Everything that a browser keeps across pages, and its address. */
const kept = ({ router }: AppUnderTest) =>
  JSON.stringify([{ ...window.localStorage }, { ...window.sessionStorage }, router.state.location, document.title]);

async function openAdd(prepare: (api: ApiDouble) => void = () => undefined) {
  const app = await renderApp({
    at: '/usersList?panel=create',
    signedIn: {},
    prepare(api) {
      noChannels(api);
      prepare(api);
      api.on(signUpUser, () => created);
    },
  });
  const form = await dialog('Ajouter un coéquipier');
  await app.user.type(form.getByLabelText('Prénom'), 'Zoé');
  await app.user.type(form.getByLabelText('Nom'), 'Petit');
  await app.user.type(form.getByLabelText(/Identifiant/u), ' zoe@example.org ');
  return { app, form };
}

async function openEdit(user = lea, prepare: (api: ApiDouble) => void = () => undefined) {
  const app = await renderApp({
    at: `/usersList?panel=${user.id}`,
    signedIn: {},
    prepare(api) {
      noChannels(api);
      api.on(getUserById, () => ({ success: true, res: user }));
      api.on(verifyPassword, () => ({ success: true, result: true }));
      api.on(updateUserData, () => ({ success: true, result: 'ok' }));
      prepare(api);
    },
  });
  const question = await dialog('Confirmez votre mot de passe');
  await app.user.type(question.getByLabelText('Votre mot de passe'), 'mine{Enter}');
  const form = await dialog(/^Modifier le profil/u);
  await form.findByLabelText('Prénom');
  return { app, form };
}

test('[AUTH20] [AUTH21] a generated password is shown, sent, and handed over on a card with login and address', async () => {
  const { app, form } = await openAdd();
  await app.user.click(form.getByRole('button', { name: 'Générer un mot de passe' }));
  const password = form.getByLabelText<HTMLInputElement>('Mot de passe').value;
  expect(password).toMatch(GENERATED);
  expect(form.getByLabelText('Mot de passe')).toHaveAttribute('type', 'text');
  expect(form.getByLabelText('Confirmer le mot de passe')).toHaveValue(password);
  await app.user.click(form.getByRole('button', { name: 'Ajouter' }));
  const shown = await card('Zoé Petit');
  expect(app.api.inputs(signUpUser)).toMatchObject([{ email: 'zoe@example.org', password }]);
  for (const text of [window.location.origin, 'zoe@example.org', password]) expect(shown.getByText(text)).toBeVisible();
  const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
  await app.user.click(form.getByRole('button', { name: 'Imprimer' }));
  expect(print).toHaveBeenCalledOnce();
  print.mockRestore();
  await app.user.click(form.getByRole('button', { name: 'Copier' }));
  expect(await screen.findByText('Copié.')).toBeVisible();
  expect((await window.navigator.clipboard.readText()).replaceAll('\u00a0', ' ')).toBe(
    [
      'Compte de Zoé Petit',
      `Adresse : ${window.location.origin}`,
      'Identifiant : zoe@example.org',
      `Mot de passe : ${password}`,
    ].join('\n'),
  );
  expect(kept(app)).not.toContain(password);
});

test('[AUTH21, TLS7] the card has no address until the server said where others find it', async () => {
  const told = Promise.withResolvers<ReturnType<typeof serverInfoOf>>();
  const { app, form } = await openAdd((api) => api.on(getServerInfo, () => told.promise));
  await app.user.click(form.getByRole('button', { name: 'Générer un mot de passe' }));
  await app.user.click(form.getByRole('button', { name: 'Ajouter' }));
  const shown = await card('Zoé Petit');
  await app.user.click(form.getByRole('button', { name: 'Copier' }));
  expect(await screen.findByText('Copié.')).toBeVisible();
  expect(shown.queryByText(window.location.origin)).toBeNull();
  expect(await window.navigator.clipboard.readText()).not.toContain(window.location.origin);
  told.resolve(serverInfoOf({ address: 'https://192.168.1.23:3000' }));
  expect(await shown.findByText('https://192.168.1.23:3000')).toBeVisible();
});

test('[AUTH20] each generated password is another one', async () => {
  const { app, form } = await openAdd();
  const generate = async () => {
    await app.user.click(form.getByRole('button', { name: 'Générer un mot de passe' }));
    return form.getByLabelText<HTMLInputElement>('Mot de passe').value;
  };
  expect(await generate()).not.toBe(await generate());
});

test('[AUTH21] after the card the next user is added in an empty form', async () => {
  const { app, form } = await openAdd();
  await app.user.click(form.getByRole('button', { name: 'Générer un mot de passe' }));
  await app.user.click(form.getByRole('button', { name: 'Ajouter' }));
  await card('Zoé Petit');
  await app.user.click(form.getByRole('button', { name: 'Ajouter un autre coéquipier' }));
  expect(form.getByLabelText('Prénom')).toHaveValue('');
  expect(form.getByLabelText('Mot de passe')).toHaveValue('');
  expect(screen.queryByRole('region', { name: /^Compte de/u })).toBeNull();
});

test('[AUTH21] a password that is set anew is handed over too', async () => {
  const { app, form } = await openEdit();
  await app.user.click(form.getByRole('button', { name: 'Générer un mot de passe' }));
  const password = form.getByLabelText<HTMLInputElement>('Nouveau mot de passe').value;
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  const shown = await card('Léa Martin');
  expect(app.api.inputs(updateUserData)).toMatchObject([{ id: lea.id, password }]);
  expect(shown.getByText(lea.identifier)).toBeVisible();
  expect(shown.getByText(password)).toBeVisible();
  expect(kept(app)).not.toContain(password);
});

test('[AUTH21] the card also comes when the photo of the same edit needs a second try', async () => {
  const { app, form } = await openEdit({ ...lea, photo_url: '/photo' }, (api) =>
    api.fail(uploadUserPhoto, new ApiError('internal')),
  );
  await app.user.type(form.getByLabelText('Nouveau mot de passe'), 'bernache');
  await app.user.type(form.getByLabelText('Confirmer le mot de passe'), 'bernache');
  await app.user.click(form.getByRole('button', { name: 'Retirer' }));
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  expect(await form.findByText('Le profil est enregistré, mais pas la photo')).toBeVisible();
  app.api.on(uploadUserPhoto, () => ({ success: true, result: 'ok', photo_url: null }));
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  expect((await card('Léa Martin')).getByText('bernache')).toBeVisible();
});

test('[AUTH21] one’s own account has no card, and nothing to generate', async () => {
  const self = userOf(1, 'Camille', 'Durand');
  expect(self.id).toBe(sessionUserOf().id);
  const { app, form } = await openEdit(self);
  expect(form.queryByRole('button', { name: 'Générer un mot de passe' })).toBeNull();
  await app.user.type(form.getByLabelText('Nouveau mot de passe'), 'bernache');
  await app.user.type(form.getByLabelText('Confirmer le mot de passe'), 'bernache');
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  expect(await screen.findByText('Coéquipier modifié')).toBeVisible();
  expect(screen.queryByRole('region', { name: /^Compte de/u })).toBeNull();
});
