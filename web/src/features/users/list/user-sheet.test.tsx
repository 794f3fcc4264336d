import { notifications } from '@mantine/notifications';
import { endSession, getPasswordProof, getUserSessions, verifyPassword } from '@pressel/contract/auth';
import { participantId } from '@pressel/contract/ids';
import { deleteUser, getAllUsers, getUserById, type User } from '@pressel/contract/users';
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, sampleId, userOf } from '#test/samples.ts';

// Mantine keeps notifications in its module, from test to test.
afterEach(() => notifications.clean());

const lea: User = {
  ...userOf(2, 'Léa', 'Martin'),
  phone_number: '+33 6 12 34 56 78',
  mapRight: true,
  channels: [{ id: sampleId(101) as never, name: 'Équipe Nord' }],
};
const session = (n: number, part: object = {}) => ({
  id: sampleId(700 + n),
  browser: 'Firefox',
  system: 'Linux',
  remember: false,
  createdAt: '2026-11-20T10:00:00.000Z',
  ageMs: 3 * 3_600_000,
  isOwn: false,
  isConnected: false,
  ...part,
});

const withLea = (
  api: ApiDouble,
  sessions = [session(1, { isConnected: true }), session(2, { browser: null, system: null })],
) => {
  api.on(getAllUsers, (query) => pageOf([lea], query, ({ lastName }) => lastName));
  api.on(getUserById, () => ({ success: true, res: lea }));
  api.on(getUserSessions, () => ({ success: true, res: sessions }));
  api.on(endSession, ({ sessionId }) => {
    const at = sessions.findIndex(({ id }) => id === sessionId);
    sessions.splice(at, 1);
    return { success: true };
  });
};
const sheet = async () => within(await screen.findByRole('dialog', { name: 'Fiche' }));
const open = (panel = `sheet:${lea.id}`) =>
  renderApp({ at: `/usersList?panel=${panel}`, signedIn: {}, prepare: (api) => withLea(api) });

test('[LIST2] a row opens all that there is to know, to read, and gives the focus back', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: (api) => withLea(api) });
  const name = await screen.findByRole('button', { name: 'Fiche de Léa Martin' });
  name.focus();
  await app.user.keyboard('{Enter}');
  const facts = await sheet();
  expect(await facts.findByText('léa@example.org')).toBeVisible();
  expect(facts.getByRole('link', { name: '+33 6 12 34 56 78' })).toHaveAttribute('href', 'tel:+33612345678');
  expect(facts.getByText('Coéquipier')).toBeVisible();
  expect(facts.getByRole('link', { name: 'Équipe Nord' })).toHaveAttribute('href', '/groupCallView/%C3%89quipeNord');
  expect(facts.getByRole('link', { name: 'Journal de Léa Martin' })).toHaveAttribute(
    'href',
    `/activities?by=${lea.id}&scope=all`,
  );
  expect(await facts.findByText('Firefox sur Linux')).toBeVisible();
  expect(facts.getByText('Ouverte il y a 3 heures, en ligne')).toBeVisible();
  expect(facts.getByText('Appareil inconnu')).toBeVisible();
  expect(facts.queryByRole('textbox')).toBeNull();
  expect(app.router.state.location.search).toEqual({ panel: `sheet:${lea.id}` });
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(screen.getByRole('button', { name: 'Fiche de Léa Martin' })).toHaveFocus());
});

test('[LIST2] who is connected changes in the sheet as it does in the list', async () => {
  const app = await open();
  const facts = await sheet();
  expect(await facts.findByText('Hors ligne')).toBeVisible();
  const sockets = [{ userId: lea.id, channelId: null, socket_id: participantId.parse('x') }];
  const news = { userId: lea.id, connected: true, user_sockets: sockets, userActivities: [] };
  act(() => app.realtime.tell('onUserStatusChanged', { channelId: null, users: [news], rooms: [], connected: 0 }));
  expect(await facts.findByText('En ligne')).toBeVisible();
});

test('[AUTH16] a session is ended after a second press, and the others stay', async () => {
  const app = await open();
  const facts = await sheet();
  await app.user.click(await facts.findByRole('button', { name: /^Déconnecter\s: Firefox sur Linux/u }));
  expect(app.api.inputs(endSession)).toEqual([]);
  await app.user.click(facts.getByRole('button', { name: /^Oui, déconnecter/u }));
  expect(await screen.findByText('Appareil déconnecté')).toBeVisible();
  await waitFor(() => expect(facts.queryByText('Firefox sur Linux')).toBeNull());
  expect(app.api.inputs(endSession)).toEqual([{ sessionId: sampleId(701) }]);
});

test('[LIST2] deleting from the sheet asks above it, and closes it', async () => {
  const app = await open();
  app.api.on(deleteUser, () => ({ success: true }));
  await app.user.click(await (await sheet()).findByRole('button', { name: 'Supprimer' }));
  await screen.findByRole('dialog', { name: /Êtes-vous sûr/u });
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /Êtes-vous sûr/u })).toBeNull());
  await app.user.click((await sheet()).getByRole('button', { name: 'Supprimer' }));
  await app.user.click(await screen.findByRole('button', { name: /Oui, supprimer/u }));
  await waitFor(() => expect(app.router.state.location.search).toEqual({}));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('[AUTH14] the tick is off, and is sent; while the server keeps a proof the form opens at once', async () => {
  const app = await open(lea.id);
  let isKept = false;
  app.api.on(getPasswordProof, () => ({ success: true, isKept }));
  app.api.on(verifyPassword, ({ keep }) => {
    isKept = keep;
    return { success: true, result: true };
  });
  const question = within(await screen.findByRole('dialog', { name: 'Confirmez votre mot de passe' }));
  const tick = question.getByRole('checkbox', { name: 'Ne plus demander pendant cinq minutes' });
  expect(tick).not.toBeChecked();
  await app.user.click(tick);
  await app.user.type(question.getByLabelText('Votre mot de passe'), 'mine{Enter}');
  await screen.findByRole('dialog', { name: /^Modifier le profil/ });
  expect(app.api.inputs(verifyPassword)).toMatchObject([{ password: 'mine', keep: true }]);
  await act(() => app.router.navigate({ to: '/usersList' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await app.user.click(await screen.findByRole('button', { name: 'Modifier Léa Martin' }));
  expect(await screen.findByRole('dialog', { name: /^Modifier le profil/ })).toBeVisible();
  expect(screen.queryByRole('dialog', { name: 'Confirmez votre mot de passe' })).toBeNull();
});

test('[LIST2] a double click asks and ends nothing: the question came under the pointer', async () => {
  const app = await open();
  const facts = await sheet();
  await app.user.dblClick(await facts.findByRole('button', { name: /Firefox sur Linux/u }));
  expect(app.api.inputs(endSession)).toEqual([]);
  await app.user.keyboard('{Enter}');
  await waitFor(() => expect(app.api.inputs(endSession)).toHaveLength(1));
});
