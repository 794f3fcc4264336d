import { notifications } from '@mantine/notifications';
import { createChannel, getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { fullName } from '#src/shared/format/format.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf, sessionUserOf, userOf } from '#test/samples.ts';

// Notifications outlive the page, and only three are shown at once.
afterEach(() => notifications.clean());

const lea = userOf(2, 'Léa', 'Martin');
const hugo = userOf(3, 'Hugo', 'Bernard');
const est = channelOf(1, 'Équipe Est', [lea.id]);

const withTeam = (api: ApiDouble) => {
  api.on(getAllUsers, (query) => pageOf([hugo, lea], query, fullName));
  api.on(getAllChannels, (query) => pageOf([est], query, (channel) => channel.name));
  api.on(getUsersInChannel, (query) => pageOf([lea], query, fullName));
};
const openForm = async (name: string) => within(await screen.findByRole('dialog', { name }));

test('[DASH14] creates a channel with its mode and members, picked over filters, the creator among them', async () => {
  const app = await renderApp({
    at: '/channelsList?panel=create',
    signedIn: {},
    prepare: (api) => {
      withTeam(api);
      api.on(createChannel, () => ({ success: true, result: 'ok', res: { id: est.id, rtcSession: 'Est' } }));
    },
  });
  const form = await openForm('Nouveau canal');
  await app.user.click(form.getByRole('button', { name: 'Créer le canal' }));
  expect(form.getByText('Vérifier que tous les champs sont remplis.')).toBeVisible();
  await app.user.type(form.getByLabelText('Nom du canal'), 'Équipe Est');
  await app.user.click(form.getByLabelText(/Libre/));
  await app.user.click(await form.findByRole('checkbox', { name: 'Choisir Hugo Bernard' }));
  await app.user.type(form.getByRole('searchbox'), 'léa');
  await app.user.click(await form.findByRole('checkbox', { name: 'Choisir Léa Martin' }));
  expect(form.getByText('3 choisis')).toBeVisible();
  await app.user.click(form.getByRole('button', { name: 'Créer le canal' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(app.api.inputs(createChannel)).toEqual([
    { channelName: 'Équipe Est', talkMode: 'open', userList: [sessionUserOf().id, hugo.id, lea.id] },
  ]);
  expect(await screen.findByText('Canal créé')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Entrer' })).toHaveAttribute('href', '/groupCallView/Est');
  await app.user.click(screen.getByRole('link', { name: 'Ajouter des coéquipiers' }));
  expect(await screen.findByRole('dialog', { name: /Équipe Est/ })).toBeVisible();
  await waitFor(() => expect(screen.queryByText('Canal créé')).toBeNull());
});

test('[DASH14] a creation that only has its creator is closed without a question', async () => {
  const app = await renderApp({ at: '/channelsList?panel=create', signedIn: {}, prepare: withTeam });
  const form = await openForm('Nouveau canal');
  await app.user.click(form.getByRole('button', { name: 'Annuler' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
