import { type Channel, deleteChannels, getAllChannels, getChannelIds } from '@pressel/contract/channels';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf } from '#test/samples.ts';

const many = (count: number): Channel[] => Array.from({ length: count }, (_, n) => channelOf(n + 1, `Canal ${n}`));

const withChannels =
  (...channels: Channel[]) =>
  (api: ApiDouble) => {
    api.on(getAllChannels, (query) =>
      pageOf(
        query.ids === undefined ? channels : channels.filter(({ id }) => query.ids?.includes(id)),
        query,
        ({ name }) => name,
      ),
    );
    api.on(getChannelIds, ({ filter = '' }) => ({
      success: true,
      res: channels.filter(({ name }) => name.includes(filter)).map(({ id }) => id),
    }));
    api.on(deleteChannels, ({ channelIds }) => {
      for (const id of channelIds) {
        const at = channels.findIndex((one) => one.id === id);
        if (at >= 0) channels.splice(at, 1);
      }
      return { success: true, res: channelIds.map((channelId) => ({ channelId, outcome: 'done' })) };
    });
  };
/** The dialog enables its button once it has named the channels. */
const confirm = async (app: AppUnderTest, name: string) => {
  const button = await screen.findByRole('button', { name });
  await waitFor(() => expect(button).toBeEnabled());
  await app.user.click(button);
};
const open = (role: 'admin' | 'member', ...channels: Channel[]) =>
  renderApp({ at: '/channelsList', signedIn: { role }, prepare: withChannels(...channels) });

test('[LIST8] ticked channels are deleted after a question that names them and who is in them', async () => {
  const [first, second, third] = many(3) as [Channel, Channel, Channel];
  const app = await open('admin', { ...first, connected: 2 }, second, third);
  await app.user.click(await screen.findByRole('checkbox', { name: 'Sélectionner Canal 0' }));
  await app.user.click(screen.getByRole('checkbox', { name: 'Sélectionner Canal 2' }));
  const bar = within(screen.getByRole('region', { name: 'Actions sur la sélection' }));
  expect(bar.getByText('2 sélectionnés')).toBeVisible();
  await app.user.click(bar.getByRole('button', { name: 'Supprimer' }));
  const dialog = within(await screen.findByRole('dialog', { name: /Supprimer 2 canaux/u }));
  expect(await dialog.findByText('Canal 2')).toBeVisible();
  expect(dialog.getByText(/2 personnes y sont connectées/u)).toBeVisible();
  expect(app.api.inputs(deleteChannels)).toEqual([]);
  await app.user.click(dialog.getByRole('button', { name: 'Oui, supprimer 2 canaux' }));
  expect(await dialog.findByText('2 canaux supprimés.')).toBeVisible();
  await app.user.click(dialog.getByRole('button', { name: 'Fermer' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.queryByRole('region', { name: 'Actions sur la sélection' })).toBeNull();
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2));
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
});

test('[LIST8] all that the filter finds, on pages that are not shown too, in parts of a hundred', async () => {
  const app = await open('admin', ...many(120));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Sélectionner Canal 0' }));
  await app.user.click(screen.getByRole('button', { name: /Sélectionner les 120/u }));
  await app.user.click(await screen.findByRole('button', { name: 'Supprimer' }));
  await confirm(app, 'Oui, supprimer 120 canaux');
  expect(await screen.findByText('120 canaux supprimés.')).toBeVisible();
  expect(app.api.inputs(deleteChannels).map(({ channelIds }) => channelIds.length)).toEqual([100, 20]);
});

test('[LIST8] the question counts who is connected in all of them, the report only what it deleted itself', async () => {
  const channels = many(120).map((channel) => ({ ...channel, connected: 1 }));
  const app = await open('admin', ...channels);
  app.api.on(deleteChannels, ({ channelIds }) => ({
    success: true,
    res: channelIds.map((channelId, n) => ({ channelId, outcome: n === 0 ? 'not_found' : 'done' })),
  }));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Sélectionner Canal 0' }));
  await app.user.click(screen.getByRole('button', { name: /Sélectionner les 120/u }));
  await app.user.click(await screen.findByRole('button', { name: 'Supprimer' }));
  expect(await screen.findByText(/120 personnes y sont connectées/u)).toBeVisible();
  await app.user.click(screen.getByRole('button', { name: 'Oui, supprimer 120 canaux' }));
  expect(await screen.findByText('118 canaux supprimés.')).toBeVisible();
  expect(screen.getByText('2 étaient déjà supprimés.')).toBeVisible();
});

test('[LIST8] channels that the filter hides are named first and marked', async () => {
  const app = await open('admin', ...many(3));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Sélectionner toute la page' }));
  await app.user.click(screen.getByRole('searchbox'));
  await app.user.paste('Canal 0');
  await waitFor(() => expect(screen.queryByText('Canal 1')).toBeNull());
  await app.user.click(screen.getByRole('button', { name: 'Supprimer' }));
  const dialog = within(await screen.findByRole('dialog', { name: /Supprimer 3 canaux/u }));
  expect(await dialog.findByText(/^Le filtre «\sCanal 0\s» en cache 2\.$/u)).toBeVisible();
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Canal 10 membre · caché par le filtre',
    'Canal 20 membre · caché par le filtre',
    'Canal 00 membre',
  ]);
});

test('[LIST8] a failure says why, and goes on where it was', async () => {
  const app = await open('admin', ...many(2));
  app.api.fail(deleteChannels, new ApiError('unavailable'));
  await app.user.click(await screen.findByRole('checkbox', { name: 'Sélectionner toute la page' }));
  await app.user.click(screen.getByRole('button', { name: 'Supprimer' }));
  await confirm(app, 'Oui, supprimer 2 canaux');
  expect(await screen.findByRole('alert')).toHaveTextContent('Le serveur n’est pas prêt');
  withChannels(...many(2))(app.api);
  await app.user.click(screen.getByRole('button', { name: 'Continuer' }));
  expect(await screen.findByText('2 canaux supprimés.')).toBeVisible();
});

test('[LIST8] members have no ticks', async () => {
  await open('member', ...many(1));
  await screen.findByText('Canal 0');
  expect(screen.queryByRole('checkbox')).toBeNull();
});
