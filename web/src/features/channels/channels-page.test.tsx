import { addUserToChannel, createChannel, deleteUserFromChannel, getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, userOf } from '#test/samples.ts';

const lea = userOf(2, 'Léa', 'Martin');
const hugo = userOf(3, 'Hugo', 'Bernard');
const nord = channelOf(1, 'Équipe Nord', [lea.id]);
const sud = channelOf(2, 'Équipe Sud');

const withTeam = (api: ApiDouble) => {
  api.on(getAllUsers, () => ({ success: true, res: [hugo, lea] }));
  api.on(getAllChannels, () => ({ success: true, res: [nord, sud] }));
};
const rows = () => screen.getAllByRole('row').slice(1);

test('lists the channels; filter and order stand in the address', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {}, prepare: withTeam });
  await screen.findByRole('link', { name: 'Entrer dans Équipe Nord' });
  await app.user.click(screen.getByRole('button', { name: 'Nom du canal' }));
  await waitFor(() => expect(rows()[0]).toHaveTextContent('Équipe Sud'));
  await app.user.type(screen.getByRole('searchbox', { name: 'Filtrer les canaux' }), 'EQUIPE n');
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(app.router.state.location.search).toEqual({ sort: 'name', desc: true, q: 'EQUIPE n' });
});

test('a filter that matches nothing says so and can be emptied', async () => {
  const app = await renderApp({ at: '/channelsList?q=zzz', signedIn: {}, prepare: withTeam });
  expect(await screen.findByText('Aucun canal ne correspond à « zzz »')).toBeVisible();
  const [clear] = screen.getAllByRole('button', { name: 'Vider le filtre' }).slice(-1);
  if (clear) await app.user.click(clear);
  await waitFor(() => expect(rows()).toHaveLength(2));
});

test('the way into a room holds any character of its key', async () => {
  const odd = channelOf(3, 'a/b?c#d%41é');
  await renderApp({
    at: '/channelsList',
    signedIn: {},
    prepare: (api) => api.on(getAllChannels, () => ({ success: true, res: [odd] })),
  });
  const link = await screen.findByRole('link', { name: 'Entrer dans a/b?c#d%41é' });
  const path = new URL(link.getAttribute('href') ?? '', 'http://x').pathname;
  expect(decodeURIComponent(path.split('/')[2] ?? '')).toBe('a/b?c#d%41é');
});

test('a member without channels learns who adds them, and is offered no creation', async () => {
  await renderApp({ at: '/channelsList', signedIn: { role: 'member' } });
  expect(await screen.findByText('Vous n’êtes encore dans aucun canal')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Créer un canal' })).toBeNull();
});

test('a failed reading says why and reads again', async () => {
  const app = await renderApp({
    at: '/channelsList',
    signedIn: {},
    prepare: (api) => api.fail(getAllChannels, new ApiError('internal')),
  });
  expect(await screen.findByText(/Une erreur est survenue sur le serveur/)).toBeVisible();
  withTeam(app.api);
  await app.user.click(screen.getByRole('button', { name: 'Réessayer' }));
  expect(await screen.findByRole('link', { name: 'Entrer dans Équipe Nord' })).toBeVisible();
});

test('creates a channel with its mode and members', async () => {
  const app = await renderApp({
    at: '/channelsList?panel=create',
    signedIn: {},
    prepare: (api) => {
      withTeam(api);
      api.on(createChannel, () => ({ success: true, result: 'ok', res: { id: nord.id, rtcSession: 'Est' } }));
    },
  });
  const dialog = await screen.findByRole('dialog', { name: 'Nouveau canal' });
  const form = within(dialog);
  await app.user.click(form.getByRole('button', { name: 'Créer le canal' }));
  expect(form.getByText('Vérifier que tous les champs sont remplis.')).toBeVisible();
  await app.user.type(form.getByLabelText('Nom du canal'), 'Équipe Est');
  await app.user.click(form.getByLabelText(/Libre/));
  await app.user.type(form.getByRole('searchbox'), 'lea');
  await app.user.click(await form.findByLabelText(/Léa Martin/));
  await app.user.click(form.getByRole('button', { name: 'Créer le canal' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(app.api.inputs(createChannel)).toEqual([{ channelName: 'Équipe Est', talkMode: 'open', userList: [lea.id] }]);
  expect(await screen.findByText('Canal créé')).toBeVisible();
});

test('a name that exists is told under its field, and nothing is lost', async () => {
  const app = await renderApp({
    at: '/channelsList?panel=create',
    signedIn: {},
    prepare: (api) => {
      withTeam(api);
      api.fail(createChannel, new ApiError('duplicate_channel'));
    },
  });
  const form = within(await screen.findByRole('dialog', { name: 'Nouveau canal' }));
  await app.user.click(await form.findByLabelText(/Hugo Bernard/));
  await app.user.type(form.getByLabelText('Nom du canal'), 'Équipe Nord{Enter}');
  expect(await form.findByText('Ce nom de canal existe déjà.')).toBeVisible();
  expect(form.getByLabelText('Nom du canal')).toHaveFocus();
  expect(form.getByLabelText(/Hugo Bernard/)).toBeChecked();
});

test('adds and removes members, after asking', async () => {
  const app = await renderApp({
    at: `/channelsList?panel=${nord.id}`,
    signedIn: {},
    prepare: (api) => {
      withTeam(api);
      api.on(addUserToChannel, () => ({ success: true, result: 'ok' }));
      api.on(deleteUserFromChannel, () => ({ success: true, result: 'ok' }));
    },
  });
  const dialog = within(await screen.findByRole('dialog', { name: 'Membres de Équipe Nord' }));
  await app.user.click(await dialog.findByRole('button', { name: 'Ajouter Hugo Bernard' }));
  expect(dialog.getByText('Êtes-vous sûr ?')).toBeVisible();
  expect(app.api.inputs(addUserToChannel)).toEqual([]);
  await app.user.click(dialog.getByRole('button', { name: 'Oui, ajouter' }));
  await waitFor(() => expect(app.api.inputs(addUserToChannel)).toEqual([{ userId: hugo.id, channelId: nord.id }]));
  await app.user.click(await dialog.findByRole('button', { name: 'Retirer Léa Martin' }));
  await app.user.click(dialog.getByRole('button', { name: 'Annuler' }));
  expect(app.api.inputs(deleteUserFromChannel)).toEqual([]);
  await app.user.click(dialog.getByRole('button', { name: 'Retirer Léa Martin' }));
  await app.user.click(dialog.getByRole('button', { name: 'Oui, retirer' }));
  await waitFor(() => expect(app.api.inputs(deleteUserFromChannel)).toEqual([{ userId: lea.id, channelId: nord.id }]));
});

test('a failed change says so in place and can be tried again', async () => {
  const app = await renderApp({
    at: `/channelsList?panel=${nord.id}`,
    signedIn: {},
    prepare: (api) => {
      withTeam(api);
      api.fail(deleteUserFromChannel, new ApiError('not_found'));
    },
  });
  const dialog = within(await screen.findByRole('dialog', { name: 'Membres de Équipe Nord' }));
  await app.user.click(await dialog.findByRole('button', { name: 'Retirer Léa Martin' }));
  await app.user.click(dialog.getByRole('button', { name: 'Oui, retirer' }));
  expect(await dialog.findByRole('alert')).toHaveTextContent('Coéquipier non retiré. Introuvable');
  expect(dialog.getByRole('button', { name: 'Oui, retirer' })).toBeEnabled();
});

test('news of the server bring the list up to date', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {}, prepare: withTeam });
  await screen.findByRole('link', { name: 'Entrer dans Équipe Nord' });
  app.api.on(getAllChannels, () => ({ success: true, res: [{ ...nord, connected: 1 }, sud] }));
  act(() =>
    app.realtime.tell('onUserStatusChanged', {
      userId: lea.id,
      channelId: nord.id,
      previousChannelId: null,
      connected: true,
    }),
  );
  await waitFor(() => expect(rows()[0]).toHaveTextContent('1/1'));
});
