import { activityType } from '@pressel/contract/activity-types';
import { deleteUserTokens } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { participantId } from '@pressel/contract/ids';
import { deleteUser, getAllUsers, type User } from '@pressel/contract/users';
import { z } from '@pressel/contract/zod';
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import type { Language } from '#src/shared/languages.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, sampleId, userOf } from '#test/samples.ts';
import { sizeWindow } from '#test/window-size.ts';

const lea = userOf(2, 'Léa', 'Martin');
const hugo = { ...userOf(3, 'Hugo', 'Bernard'), mapRight: true };
const textOf = (user: User) => `${user.firstName} ${user.lastName} ${user.identifier}`;

/** Makes a server that has these users, as long as they are not deleted. */
const withUsers =
  (...users: User[]) =>
  (api: ApiDouble) => {
    api.on(getAllUsers, (query) => pageOf(users, query, textOf));
    api.on(deleteUser, ({ UserId }) => {
      users.splice(
        users.findIndex(({ id }) => id === UserId),
        1,
      );
      return { success: true };
    });
  };
const rows = () => screen.getAllByRole('row').slice(1);
const dialogAlert = async () => within(await screen.findByRole('dialog')).findByRole('alert');
const button = (name: string) => screen.getByRole('button', { name });

test('shows each user with login, pseudo, map access, day of creation, state and last activity in words', async () => {
  const socket = { userId: hugo.id, channelId: null, socket_id: 'one' };
  const activity = {
    id: sampleId(50),
    type: 'channel_join' as const,
    createdAt: '2026-11-21T09:05:00.000Z',
    channel: { name: 'Nord' },
  };
  await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: withUsers(
      { ...hugo, user_sockets: [{ ...socket, socket_id: socket.socket_id as never }], userActivities: [activity] },
      lea,
    ),
  });
  await screen.findByText('Martin');
  expect(rows()[0]).toHaveTextContent(/HugoBernardhugo@example\.orgHUGOui20 nov\. 2026 \d\d:\d\d/u);
  expect(rows()[0]).toHaveTextContent(/Canal « Nord » rejoint·21 nov\. 2026 \d\d:\d\dEn ligne/u);
  expect(rows()[1]).toHaveTextContent('Non');
  expect(rows()[1]).toHaveTextContent('Pas d’activité encore.Hors ligne');
  expect(screen.getByRole('main')).toHaveTextContent('2 coéquipiers');
});

describe.each(['fr', 'en', 'de'] as const)('the last activity in %s', (language: Language) => {
  test('has a sentence of its own for each type, with and without a channel', async () => {
    const withEach = (n: number, channel: { name: string } | null) =>
      activityType.options.map((type, index) => ({
        ...userOf(n + index, `U${n + index}`, 'X'),
        userActivities: [{ id: sampleId(500 + n + index), type, createdAt: '2026-11-21T09:05:00.000Z', channel }],
      }));
    const users = [...withEach(100, null), ...withEach(200, { name: 'Nord' })];
    await renderApp({ at: '/usersList?size=50', signedIn: {}, language, prepare: withUsers(...users) });
    await screen.findByText(users.at(-1)?.firstName ?? '');
    const said = rows().map((row) => /X.*?(?:\d\d:\d\d)(.*)·/u.exec(row.textContent ?? '')?.[1] ?? '');
    expect(said.filter((sentence) => sentence === '' || sentence.includes('activity'))).toEqual([]);
    expect(new Set(said.slice(0, 14)).size).toBe(14);
    expect(said.slice(14).filter((sentence) => sentence.includes('Nord'))).toHaveLength(11);
  });
});

test('pages, order and filter are asked of the server and stand in the address', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => userOf(index + 2, `Prénom${index}`, `Nom${index}`));
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(...many) });
  await screen.findByText('Nom0');
  expect(rows()).toHaveLength(5);
  await app.user.click(button('Page suivante'));
  expect(await screen.findByText('Nom5')).toBeVisible();
  expect(app.router.state.location.search).toEqual({ page: 2 });
  await app.user.click(button('Dernière activité'));
  await waitFor(() => expect(app.api.inputs(getAllUsers).at(-1)).toMatchObject({ start: 0, sort: 'lastActivity' }));
  await app.user.click(screen.getByRole('searchbox'));
  await app.user.paste('nom1999');
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(app.router.state.location.search).toEqual({ sort: 'lastActivity', q: 'nom1999' });
  expect(app.api.inputs(getAllUsers).at(-1)).toMatchObject({ filter: 'nom1999', language: 'fr' });
});

test('[LIST15] rows per page are remembered for this list alone; what fits on one page has no way to others', async () => {
  const many = Array.from({ length: 7 }, (_, index) => userOf(index + 2, `Prénom${index}`, `Nom${index}`));
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(...many) });
  await screen.findByText('Nom0');
  await app.user.selectOptions(screen.getByLabelText('Lignes par page'), '10');
  expect(await screen.findByText('Nom6')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Page suivante' })).toBeNull();
  expect(screen.getByLabelText('Lignes par page'), 'the way back').toHaveValue('10');
  expect(app.storage.readPreference('usersPageSize', z.number())).toBe(10);
  await act(() => app.router.navigate({ to: '/channelsList' }));
  await waitFor(() => expect(app.api.inputs(getAllChannels).at(-1)).toMatchObject({ limit: 5 }));
  withUsers(...many.slice(0, 2))(app.api);
  await act(() => app.router.navigate({ to: '/usersList', search: { q: 'nom' } }));
  await waitFor(() => expect(rows()).toHaveLength(2));
  expect(screen.queryByLabelText('Lignes par page'), 'nothing to turn').toBeNull();
});

test('[LIST11] a row’s menu has what doesn’t stand beside it', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(lea) });
  await app.user.click(await screen.findByRole('button', { name: 'Autres actions pour Léa Martin' }));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'Journal d’activité',
    'Déconnecter de tous les appareils',
  ]);
});

test('a filter that finds nobody says so and can be emptied', async () => {
  const app = await renderApp({ at: '/usersList?q=zzz', signedIn: {}, prepare: withUsers(lea) });
  expect(await screen.findByText('Personne ne correspond à « zzz »')).toBeVisible();
  const [clear] = screen.getAllByRole('button', { name: 'Vider le filtre' }).slice(-1);
  if (clear) await app.user.click(clear);
  expect(await screen.findByText('Martin')).toBeVisible();
});

test.each([
  ['en', 'No users', 'Add user'],
  ['fr', 'Pas de coéquipiers', 'Ajouter un coéquipier'],
] as const)('no users at all: says so, and the next act is to add one (%s)', async (language, none, add) => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, language });
  expect(await screen.findByText(none)).toBeVisible();
  await app.user.click(screen.getAllByRole('button', { name: add })[1] as HTMLElement);
  await waitFor(() => expect(app.router.state.location.search).toEqual({ panel: 'create' }));
});

test('a failed reading says why and reads again', async () => {
  const app = await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) => api.fail(getAllUsers, new ApiError('internal')),
  });
  expect(await screen.findByText('Chargement impossible')).toBeVisible();
  withUsers(lea)(app.api);
  await app.user.click(button('Réessayer'));
  expect(await screen.findByText('Martin')).toBeVisible();
});

test('a change made elsewhere, or of memberships, is read without a reload', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(lea) });
  await screen.findByText('Martin');
  withUsers(lea, hugo)(app.api);
  act(() => app.realtime.tell('changed', { what: 'memberships' }));
  expect(await screen.findByText('Bernard')).toBeVisible();
});

test('on a phone names and logins that are cut say all of themselves', async () => {
  sizeWindow(390, 844);
  await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(lea) });
  expect(await screen.findByText('Léa Martin')).toHaveAttribute('title', 'Léa Martin');
  expect(screen.getByText(lea.identifier)).toHaveAttribute('title', lea.identifier);
});

test('[PRES24] who is connected, and what they did last, changes in its place without reading the page again', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(lea, hugo) });
  await screen.findByText('Martin');
  const asked = app.api.inputs(getAllUsers).length;
  const sockets = [{ userId: lea.id, channelId: null, socket_id: participantId.parse('x') }];
  act(() =>
    app.realtime.tell('onUserStatusChanged', {
      channelId: null,
      users: [{ userId: lea.id, connected: true, user_sockets: sockets, userActivities: [] }],
      rooms: [],
      connected: 0,
    }),
  );
  expect(await screen.findByText('En ligne')).toBeVisible();
  expect(app.api.inputs(getAllUsers)).toHaveLength(asked);
});

test('a row opens the user, but not the menu in it', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(lea) });
  const name = await screen.findByText('Martin');
  await app.user.click(button('Autres actions pour Léa Martin'));
  await app.user.click(await screen.findByRole('menu'));
  expect(app.router.state.location.search).toEqual({});
  await app.user.keyboard('{Escape}');
  await app.user.click(name);
  await waitFor(() => expect(app.router.state.location.search).toEqual({ panel: `sheet:${lea.id}` }));
});

describe('deleting', () => {
  test('asks with the name and what stays, deletes, says so, and the focus stays in the page', async () => {
    const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(hugo, lea) });
    await app.user.click(await screen.findByRole('button', { name: 'Supprimer Léa Martin' }));
    const dialog = await screen.findByRole('dialog', { name: 'Êtes-vous sûr\u202f?' });
    expect(dialog).toHaveTextContent('Voulez-vous vraiment supprimer Léa Martin ?');
    expect(dialog).toHaveTextContent('messages et ses activités restent lisibles');
    await app.user.click(within(dialog).getByRole('button', { name: 'Oui, supprimer' }));
    expect(await screen.findByText('Le coéquipier a été supprimé')).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(rows()).toHaveLength(1);
    expect(app.api.inputs(deleteUser)).toEqual([{ UserId: lea.id }]);
    await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
  });

  test('cancelled, it changes nothing and gives the focus back', async () => {
    const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(lea) });
    await app.user.click(await screen.findByRole('button', { name: 'Supprimer Léa Martin' }));
    await app.user.click(await screen.findByRole('button', { name: 'Annuler' }));
    await waitFor(() => expect(button('Supprimer Léa Martin')).toHaveFocus());
    expect(app.api.inputs(deleteUser)).toEqual([]);
  });

  test('the last administrator is explained, not only refused', async () => {
    const app = await renderApp({ at: '/usersList', signedIn: {}, language: 'en', prepare: withUsers(lea) });
    app.api.fail(deleteUser, new ApiError('last_admin'));
    await app.user.click(await screen.findByRole('button', { name: 'Delete Léa Martin' }));
    await app.user.click(await screen.findByRole('button', { name: 'Yes, delete it!' }));
    const alert = await dialogAlert();
    expect(alert).toHaveTextContent('Oops... No administrator would be left.');
    expect(alert).not.toHaveTextContent('Please try again');
  });

  test('any other failure says what went wrong, and again works', async () => {
    const app = await renderApp({ at: '/usersList', signedIn: {}, language: 'en', prepare: withUsers(lea) });
    app.api.fail(deleteUser, new ApiError('unreachable'));
    await app.user.click(await screen.findByRole('button', { name: 'Delete Léa Martin' }));
    await app.user.click(await screen.findByRole('button', { name: 'Yes, delete it!' }));
    const alert = await dialogAlert();
    expect(alert).toHaveTextContent(/Oops\.\.\. Something went wrong! .*network.* Please try again/u);
    withUsers(lea)(app.api);
    await app.user.click(button('Yes, delete it!'));
    expect(await screen.findByText('The user has been deleted')).toBeVisible();
  });

  test('of oneself warns of it', async () => {
    const self = userOf(1, 'Camille', 'Durand');
    const app = await renderApp({ at: '/usersList', signedIn: { id: self.id }, prepare: withUsers(self) });
    await app.user.click(await screen.findByRole('button', { name: 'Supprimer Camille Durand' }));
    expect(await screen.findByRole('dialog')).toHaveTextContent('C’est votre propre compte');
  });
});

describe('disconnecting from all devices', () => {
  const askFor = async (app: Awaited<ReturnType<typeof renderApp>>) => {
    await app.user.click(await screen.findByRole('button', { name: 'More actions for Léa Martin' }));
    await app.user.click(await screen.findByRole('menuitem', { name: 'Disconnect from all devices' }));
    const dialog = await screen.findByRole('dialog', { name: 'Disconnect from all devices?' });
    await app.user.click(within(dialog).getByRole('button', { name: 'Disconnect' }));
  };

  test('says that it is done, and the focus goes back to the menu', async () => {
    const app = await renderApp({ at: '/usersList', signedIn: {}, language: 'en', prepare: withUsers(lea) });
    app.api.on(deleteUserTokens, () => ({ success: true }));
    await askFor(app);
    expect(await screen.findByText('User disconnected from all devices successfully')).toBeVisible();
    expect(app.api.inputs(deleteUserTokens)).toEqual([{ userId: lea.id }]);
    await waitFor(() => expect(button('More actions for Léa Martin')).toHaveFocus());
  });

  test('that failed says so, with the reason', async () => {
    const app = await renderApp({ at: '/usersList', signedIn: {}, language: 'en', prepare: withUsers(lea) });
    app.api.fail(deleteUserTokens, new ApiError('not_found'));
    await askFor(app);
    expect(await dialogAlert()).toHaveTextContent('Failed to disconnect user from all devices. Not found');
  });
});
