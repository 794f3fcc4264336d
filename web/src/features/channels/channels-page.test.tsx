import { notifications } from '@mantine/notifications';
import {
  addUserToChannel,
  type Channel,
  createChannel,
  deleteChannel,
  deleteUserFromChannel,
  getAllChannels,
  getUsersInChannel,
  updateChannel,
} from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { fullName } from '#src/shared/format/format.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf, userOf } from '#test/samples.ts';

// Notifications outlive the page, and only three are shown at once.
afterEach(() => notifications.clean());

const lea = userOf(2, 'Léa', 'Martin');
const hugo = userOf(3, 'Hugo', 'Bernard');
const nord = channelOf(1, 'Équipe Nord', [lea.id]);
const sud = channelOf(2, 'Équipe Sud');

/** Makes the fake API list these channels and users. */
const serve = (api: ApiDouble, channels: readonly Channel[], members: readonly string[] = [lea.id]) => {
  api.on(getAllUsers, (query) => {
    const users = [hugo, lea].map((user) => ({ ...user, isMember: members.includes(user.id) }));
    return pageOf(query.onlyMembers ? users.filter((user) => user.isMember) : users, query, fullName);
  });
  api.on(getAllChannels, (query) => {
    const asked = channels.filter(({ id }) => query.ids?.includes(id) ?? true);
    return pageOf(query.order === 'desc' ? asked.toReversed() : asked, query, (channel) => channel.name);
  });
  api.on(getUsersInChannel, (query) => pageOf(members.includes(lea.id) ? [lea] : [], query, fullName));
};
const withTeam = (api: ApiDouble) => serve(api, [nord, sud]);
const rows = () => screen.getAllByRole('row').slice(1);

test('[LIST11] lists the channels, with the whole name in the hint; filter and order stand in the address', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {}, prepare: withTeam });
  const link = await screen.findByRole('link', { name: 'Entrer dans Équipe Nord' });
  expect(within(link).getByTitle('Équipe Nord')).toBeInTheDocument();
  await app.user.click(screen.getByRole('button', { name: 'Nom du canal' }));
  await waitFor(() => expect(rows()[0]).toHaveTextContent('Équipe Sud'));
  await app.user.type(screen.getByRole('searchbox', { name: 'Filtrer les canaux' }), 'nord');
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(app.router.state.location.search).toEqual({ sort: 'name', desc: true, q: 'nord' });
});

test('each channel has the day and time of its creation, by which the list is put in order', async () => {
  const old = { ...sud, createdAt: new Date(2025, 2, 9, 8, 5).toISOString() };
  const app = await renderApp({ at: '/channelsList', signedIn: {}, prepare: (api) => serve(api, [nord, old]) });
  await screen.findByRole('link', { name: 'Entrer dans Équipe Nord' });
  const headers = screen.getAllByRole('columnheader').map((header) => header.textContent);
  const cells = within(rows()[1] as HTMLElement).getAllByRole('cell');
  expect(cells[headers.indexOf('Créé le')]).toHaveTextContent(/^09 mars 2025 08:05$/u);
  await app.user.click(screen.getByRole('button', { name: 'Créé le' }));
  await waitFor(() => expect(app.api.inputs(getAllChannels).at(-1)).toMatchObject({ sort: 'createdAt' }));
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
    prepare: (api) => serve(api, [odd]),
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

test('a member sees their channels without anything to do to them', async () => {
  await renderApp({ at: `/channelsList?panel=edit:${nord.id}`, signedIn: { role: 'member' }, prepare: withTeam });
  expect(await screen.findByRole('link', { name: 'Entrer dans Équipe Nord' })).toBeVisible();
  expect(screen.queryByRole('button', { name: /Modifier|Supprimer|Membres de/ })).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('[PRES24] news of who is where change the list without reading it again', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {}, prepare: withTeam });
  await screen.findByRole('link', { name: 'Entrer dans Équipe Nord' });
  const asked = app.api.inputs(getAllChannels).length;
  act(() =>
    app.realtime.tell('onUserStatusChanged', {
      channelId: null,
      users: [],
      rooms: [{ channelId: nord.id, connected: 1 }],
    }),
  );
  await waitFor(() => expect(rows()[0]).toHaveTextContent('1/1'));
  expect(app.api.inputs(getAllChannels)).toHaveLength(asked);
});

const openForm = async (name: string) => within(await screen.findByRole('dialog', { name }));

test('a name that exists is told under its field, and nothing is lost', async () => {
  const app = await renderApp({
    at: '/channelsList?panel=create',
    signedIn: {},
    prepare: (api) => {
      withTeam(api);
      api.fail(createChannel, new ApiError('duplicate_channel'));
    },
  });
  const form = await openForm('Nouveau canal');
  await app.user.click(await form.findByLabelText(/Hugo Bernard/));
  await app.user.type(form.getByLabelText('Nom du canal'), 'Équipe Nord{Enter}');
  expect(await form.findByText('Ce nom de canal existe déjà.')).toBeVisible();
  expect(form.getByLabelText('Nom du canal')).toHaveFocus();
  expect(form.getByLabelText(/Hugo Bernard/)).toBeChecked();
});

test('what was typed is not lost without asking', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {}, prepare: withTeam });
  await app.user.click((await screen.findAllByRole('button', { name: 'Créer un canal' }))[0] as HTMLElement);
  const form = await openForm('Nouveau canal');
  await app.user.type(form.getByLabelText('Nom du canal'), 'Est');
  await app.user.keyboard('{Escape}');
  await app.user.click(await screen.findByRole('button', { name: 'Continuer la saisie' }));
  expect(form.getByLabelText('Nom du canal')).toHaveValue('Est');
  await app.user.click(form.getByRole('button', { name: 'Annuler' }));
  await app.user.click(await screen.findByRole('button', { name: 'Oui, abandonner' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(app.router.state.location.search).toEqual({});
});

const editing = (prepare: (api: ApiDouble) => void = withTeam) =>
  renderApp({ at: `/channelsList?panel=edit:${nord.id}`, signedIn: {}, prepare });

test('an edit sends the name, the mode and only who comes and who goes', async () => {
  const app = await editing((api) => {
    withTeam(api);
    api.on(updateChannel, () => ({ success: true, result: 'ok', res: { id: nord.id, rtcSession: 'Ouest' } }));
  });
  const form = await openForm('Modifier le canal');
  expect(await form.findByRole('checkbox', { name: 'Choisir Léa Martin' })).toBeChecked();
  await app.user.click(form.getByRole('checkbox', { name: 'Choisir Léa Martin' }));
  await app.user.click(form.getByRole('checkbox', { name: 'Choisir Hugo Bernard' }));
  expect(form.getByText('1 choisi')).toBeVisible();
  await app.user.clear(form.getByLabelText('Nom du canal'));
  await app.user.type(form.getByLabelText('Nom du canal'), 'Ouest');
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  expect(await screen.findByText('Canal modifié')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(app.api.inputs(updateChannel)).toEqual([
    {
      channelId: nord.id,
      channelName: 'Ouest',
      talkMode: 'single',
      version: 1,
      addUsers: [hugo.id],
      removeUsers: [lea.id],
    },
  ]);
});

test('a form that was opened and not touched closes without a question', async () => {
  const app = await editing();
  await (await openForm('Modifier le canal')).findByLabelText('Nom du canal');
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a conflicting edit shows both versions and lets the user decide', async () => {
  const app = await editing((api) => {
    withTeam(api);
    api.on(updateChannel, ({ version }) => {
      if (version !== 2) throw new ApiError('conflict');
      return { success: true, result: 'ok', res: { id: nord.id, rtcSession: 'Mien' } };
    });
  });
  const form = await openForm('Modifier le canal');
  await app.user.clear(await form.findByLabelText('Nom du canal'));
  await app.user.type(form.getByLabelText('Nom du canal'), 'Le mien');
  serve(app.api, [{ ...nord, name: 'Le leur', talkMode: 'open', version: 2 }, sud]);
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  const conflict = within(await form.findByRole('alert'));
  expect(conflict.getByRole('row', { name: 'Nom du canal Le leur Le mien' })).toBeVisible();
  expect(conflict.getByRole('row', { name: 'Prise de parole Libre Libre' })).toBeVisible();
  expect(form.getByRole('button', { name: 'Enregistrer' })).toBeDisabled();
  await app.user.click(conflict.getByRole('button', { name: 'Reprendre la version enregistrée' }));
  expect(form.getByLabelText('Nom du canal')).toHaveValue('Le leur');
  expect(form.getByLabelText(/Libre/)).toBeChecked();
  expect(form.queryByRole('alert')).toBeNull();
});

test('a change of somebody else is told while one still types, and one’s own can be saved over it', async () => {
  const app = await editing((api) => {
    withTeam(api);
    api.on(updateChannel, () => ({ success: true, result: 'ok', res: { id: nord.id, rtcSession: 'Mien' } }));
  });
  const form = await openForm('Modifier le canal');
  await app.user.type(await form.findByLabelText('Nom du canal'), ' 2');
  serve(app.api, [{ ...nord, name: 'Le leur', version: 2 }, sud]);
  act(() => app.realtime.tell('changed', { what: 'channels', channelId: nord.id }));
  const conflict = within(await form.findByRole('alert'));
  await app.user.click(conflict.getByRole('button', { name: 'Enregistrer ma version quand même' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(app.api.inputs(updateChannel)).toMatchObject([{ channelName: 'Équipe Nord 2', version: 2 }]);
});

test('a concurrent change of another field is merged, with a notice', async () => {
  const app = await editing((api) => {
    withTeam(api);
    api.on(updateChannel, () => ({ success: true, result: 'ok', res: { id: nord.id, rtcSession: 'Leur' } }));
  });
  const form = await openForm('Modifier le canal');
  await app.user.click(await form.findByLabelText(/Libre/));
  serve(app.api, [{ ...nord, name: 'Le leur', version: 2 }, sud]);
  act(() => app.realtime.tell('changed', { what: 'channels', channelId: nord.id }));
  expect(await form.findByRole('status')).toHaveTextContent('ses changements sont repris ici');
  expect(form.getByLabelText('Nom du canal')).toHaveValue('Le leur');
  await app.user.click(form.getByRole('button', { name: 'Enregistrer' }));
  await waitFor(() =>
    expect(app.api.inputs(updateChannel)).toMatchObject([{ channelName: 'Le leur', talkMode: 'open', version: 2 }]),
  );
});

test('a channel that was deleted while it was edited is said to be gone', async () => {
  const app = await editing();
  const form = await openForm('Modifier le canal');
  await app.user.type(await form.findByLabelText('Nom du canal'), ' 2');
  serve(app.api, [sud]);
  act(() => app.realtime.tell('changed', { what: 'channels', channelId: nord.id }));
  expect(await form.findByText('Ce canal n’existe plus.')).toBeVisible();
  await app.user.click(form.getAllByRole('button', { name: 'Fermer' }).slice(-1)[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('deletes after naming the channel, its members and who is there', async () => {
  const app = await renderApp({
    at: '/channelsList',
    signedIn: {},
    prepare: (api) => {
      serve(api, [{ ...nord, connected: 2 }, sud]);
      const socket = { userId: lea.id, channelId: nord.id, socket_id: 's' };
      api.on(getUsersInChannel, (query) => pageOf([{ ...lea, user_sockets: [socket] }], query, fullName));
      api.fail(deleteChannel, new ApiError('unavailable'));
    },
  });
  await app.user.click(await screen.findByRole('button', { name: 'Supprimer Équipe Nord' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Supprimer ce canal\u202f?' }));
  expect(dialog.getByText('Voulez-vous vraiment supprimer Équipe Nord ?')).toBeVisible();
  expect(dialog.getByText('1 membre perd l’accès au canal.')).toBeVisible();
  expect(dialog.getByText(/2 personnes y sont connectées/)).toBeVisible();
  expect(await dialog.findByText('Léa Martin · LÉA')).toBeVisible();
  expect(dialog.getByText('et 1 autre')).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Annuler' })).toHaveFocus();
  await app.user.click(dialog.getByRole('button', { name: 'Oui, supprimer' }));
  expect(await dialog.findByRole('alert')).toHaveTextContent('Oups… Une erreur est survenue ! Veuillez réessayer.');
  app.api.on(deleteChannel, () => {
    serve(app.api, [sud]);
    return { success: true, result: 'ok' };
  });
  await app.user.click(dialog.getByRole('button', { name: 'Oui, supprimer' }));
  expect(await screen.findByText('Le canal a été supprimé')).toBeVisible();
  await waitFor(() => expect(rows()).toHaveLength(1));
});

const managing = (prepare: (api: ApiDouble) => void) =>
  renderApp({ at: `/channelsList?panel=members:${nord.id}`, signedIn: {}, prepare });

test('adds and removes members, after asking; the rows keep their places', async () => {
  const members = new Set<string>([lea.id]);
  const app = await managing((api) => {
    serve(api, [nord, sud], [...members]);
    const change = (act: () => unknown) => () => {
      act();
      serve(api, [nord, sud], [...members]);
      return { success: true, result: 'ok' };
    };
    api.on(
      addUserToChannel,
      change(() => members.add(hugo.id)),
    );
    api.on(
      deleteUserFromChannel,
      change(() => members.delete(lea.id)),
    );
  });
  const dialog = within(await screen.findByRole('dialog', { name: 'Membres du canal Équipe Nord' }));
  await app.user.click(await dialog.findByRole('button', { name: 'Ajouter Hugo Bernard' }));
  expect(await screen.findByText('Êtes-vous sûr ?')).toBeVisible();
  expect(app.api.inputs(addUserToChannel)).toEqual([]);
  await app.user.click(screen.getByRole('button', { name: 'Oui, ajouter' }));
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Retirer Hugo Bernard' })).toHaveFocus());
  expect(app.api.inputs(addUserToChannel)).toEqual([{ userId: hugo.id, channelId: nord.id }]);
  expect(await screen.findByText('Coéquipier ajouté au canal')).toBeVisible();
  expect(dialog.getAllByRole('row').map((row) => row.textContent?.slice(0, 12))).toEqual([
    expect.anything(),
    'HugoBernardH',
    'LéaMartinLÉA',
  ]);

  const remove = await dialog.findByRole('button', { name: 'Retirer Léa Martin' });
  await app.user.click(remove);
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByText('Êtes-vous sûr ?')).toBeNull());
  expect(remove).toHaveFocus();
  expect(app.api.inputs(deleteUserFromChannel)).toEqual([]);
  await app.user.click(remove);
  await app.user.click(await screen.findByRole('button', { name: 'Oui, retirer' }));
  expect(await dialog.findByRole('button', { name: 'Ajouter Léa Martin' })).toBeVisible();
  expect(app.api.inputs(deleteUserFromChannel)).toEqual([{ userId: lea.id, channelId: nord.id }]);
  expect(await screen.findByText('Coéquipier retiré du canal')).toBeVisible();
});

test('the users to choose from stand five a page, as in every list', async () => {
  const six = [1, 2, 3, 4, 5, 6].map((n) => userOf(n + 20, `Prénom${n}`, `Nom${n}`));
  const app = await managing((api) => {
    withTeam(api);
    api.on(getAllUsers, (query) => pageOf(six, query, ({ lastName }) => lastName));
  });
  const dialog = within(await screen.findByRole('dialog', { name: 'Membres du canal Équipe Nord' }));
  await dialog.findByRole('button', { name: 'Ajouter Prénom5 Nom5' });
  const sizes = within(dialog.getByRole('combobox', { name: 'Lignes par page' })).getAllByRole<HTMLOptionElement>(
    'option',
  );
  expect(sizes.map(({ value }) => value)).toEqual(['5', '10', '25', '50', '100']);
  expect(sizes.filter(({ selected }) => selected).map(({ value }) => value)).toEqual(['5']);
  expect(app.api.inputs(getAllUsers).at(-1)).toMatchObject({ start: 0, limit: 5 });
});

test('a failed change says so in place and can be tried again', async () => {
  const app = await managing((api) => {
    withTeam(api);
    api.fail(deleteUserFromChannel, new ApiError('not_found'));
  });
  const dialog = within(await screen.findByRole('dialog', { name: 'Membres du canal Équipe Nord' }));
  await app.user.click(await dialog.findByRole('button', { name: 'Retirer Léa Martin' }));
  await app.user.click(await screen.findByRole('button', { name: 'Oui, retirer' }));
  expect(await screen.findByText(/Coéquipier non retiré\. Introuvable/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Oui, retirer' })).toBeEnabled();
});

test('members only can be shown, and a channel without any says so', async () => {
  const app = await managing((api) => serve(api, [nord], []));
  const dialog = within(await screen.findByRole('dialog', { name: 'Membres du canal Équipe Nord' }));
  await dialog.findByRole('button', { name: 'Ajouter Léa Martin' });
  await app.user.click(dialog.getByRole('switch', { name: 'Membres seulement' }));
  expect(await dialog.findByText('Pas de coéquipiers dans ce canal')).toBeVisible();
});
