import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers, getUserById } from '@pressel/contract/users';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf, userOf } from '#test/samples.ts';

const lea = userOf(2, 'Léa', 'Martin');
const hugo = userOf(3, 'Hugo', 'Bernard');
const prepare = (api: ApiDouble) => {
  api.on(getAllUsers, (query) => pageOf([hugo, lea], query, ({ lastName }) => lastName));
  api.on(getUserById, () => ({ success: true, res: lea }));
  api.on(getAllChannels, (query) =>
    pageOf([channelOf(1, 'Équipe Nord'), channelOf(2, 'Sud')], query, ({ name }) => name),
  );
};
const open = (at = '/usersList', role: 'admin' | 'member' = 'admin') => renderApp({ at, signedIn: { role }, prepare });
const palette = async () => within(await screen.findByRole('dialog', { name: 'Aller à…' }));

test('[LIST10] Ctrl+K goes to a channel by a part of its name', async () => {
  const app = await open();
  await screen.findByText('Martin');
  await app.user.keyboard('{Control>}k{/Control}');
  const found = await palette();
  const box = found.getByRole('combobox', { name: 'Aller à…' });
  await waitFor(() => expect(box).toHaveFocus());
  await app.user.keyboard('nord');
  await waitFor(() => expect(found.getAllByRole('option')).toHaveLength(1));
  // The room itself is not what is tested.
  const go = vi.spyOn(app.router, 'navigate').mockResolvedValue();
  await app.user.keyboard('{Enter}');
  expect(go.mock.calls[0]?.[0]).toMatchObject({ to: '/groupCallView/$roomId', params: { roomId: 'ÉquipeNord' } });
});

test('[LIST10] arrows choose, and a user is shown as a sheet', async () => {
  const app = await open();
  await screen.findByText('Martin');
  await app.user.keyboard('{Control>}k{/Control}');
  const found = await palette();
  await app.user.keyboard('martin');
  const option = await found.findByRole('option', { name: /Léa Martin · LÉA/u });
  await waitFor(() => expect(found.getByRole('combobox')).toHaveAttribute('aria-activedescendant', option.id));
  await app.user.keyboard('{Enter}');
  await waitFor(() => expect(app.router.state.location.search).toEqual({ panel: `sheet:${lea.id}` }));
});

test('[LIST10] Enter leads nowhere before the answer to what is typed: not into a channel of the list before', async () => {
  const app = await open();
  await screen.findByText('Martin');
  await app.user.keyboard('{Control>}k{/Control}');
  const found = await palette();
  await found.findByRole('option', { name: 'Sud' });
  expect(app.api.inputs(getAllUsers)).toHaveLength(1);
  const go = vi.spyOn(app.router, 'navigate').mockResolvedValue();
  await app.user.keyboard('zeta{Enter}');
  expect(go).not.toHaveBeenCalled();
  expect(found.queryByText('Rien ne correspond.')).toBeNull();
  expect(await found.findByText('Rien ne correspond.')).toBeVisible();
  expect(app.api.inputs(getAllUsers).map(({ filter }) => filter)).toEqual([undefined, 'zeta']);
  go.mockRestore();
});

test('[LIST10] Enter before the answer goes where it would have gone with it', async () => {
  const app = await open();
  await screen.findByText('Martin');
  await app.user.keyboard('{Control>}k{/Control}');
  const found = await palette();
  await found.findByRole('option', { name: 'Sud' });
  const go = vi.spyOn(app.router, 'navigate').mockResolvedValue();
  await app.user.keyboard('martin{Enter}');
  expect(go).not.toHaveBeenCalled();
  await waitFor(() => expect(go.mock.calls[0]?.[0]).toMatchObject({ search: { panel: `sheet:${lea.id}` } }));
  go.mockRestore();
});

test('[LIST10] members find their channels and screens, and nobody by name', async () => {
  const app = await open('/channelsList', 'member');
  await screen.findByText('Sud');
  await app.user.click(screen.getByRole('button', { name: 'Aller à…' }));
  const found = await palette();
  await app.user.keyboard('u');
  await waitFor(() => expect(found.queryByRole('option', { name: 'Mon profil' })).toBeNull());
  expect(found.queryByRole('option', { name: 'Coéquipiers' })).toBeNull();
  expect(await found.findByRole('option', { name: 'Sud' })).toBeVisible();
  expect(app.api.inputs(getAllUsers)).toEqual([]);
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('[LIST10] / goes to the filter, arrows into the list, Enter opens', async () => {
  const app = await open();
  await screen.findByText('Martin');
  await app.user.keyboard('/');
  const filter = screen.getByRole('searchbox');
  expect(filter).toHaveFocus();
  expect(filter).toHaveValue('');
  await app.user.keyboard('{ArrowDown}');
  expect(screen.getByRole('button', { name: 'Fiche de Hugo Bernard' })).toHaveFocus();
  await app.user.keyboard('{ArrowDown}{Enter}');
  await waitFor(() => expect(app.router.state.location.search).toEqual({ panel: `sheet:${lea.id}` }));
});

test('[LIST10] c creates; not while somebody types, and not with the letters turned off', async () => {
  const app = await open();
  await screen.findByText('Martin');
  await app.user.click(screen.getByRole('searchbox'));
  await app.user.keyboard('c');
  expect(screen.getByRole('searchbox')).toHaveValue('c');
  await app.user.keyboard('{Escape}');
  (document.activeElement as HTMLElement).blur();
  await app.user.keyboard('?');
  const sheet = within(await screen.findByRole('dialog', { name: 'Raccourcis clavier' }));
  await app.user.click(sheet.getByRole('switch', { name: 'Raccourcis d’une seule touche' }));
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await app.user.keyboard('c');
  expect(app.router.state.location.search).toEqual({});
  app.storage.writePreference('letterKeys', true);
  await app.user.keyboard('c');
  await waitFor(() => expect(app.router.state.location.search).toEqual({ panel: 'create' }));
});

test('[LIST10] what is typed while the palette is still on its way is its text, and nothing of the page’s', async () => {
  const app = await open();
  await screen.findByText('Martin');
  await app.user.keyboard('/{Control>}k{/Control}nord');
  const found = await palette();
  await waitFor(() => expect(found.getByRole('combobox')).toHaveValue('nord'));
  expect(app.router.state.location.search).toEqual({});
});
