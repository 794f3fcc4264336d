import { getServerInfo } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { createGuestLink, type GuestLink, getGuestLinks, withdrawGuestLink } from '@pressel/contract/guests';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { type ApiDouble, serverInfoOf } from '#test/api-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf, sampleId } from '#test/samples.ts';

const nord = channelOf(1, 'Équipe Nord');
const soon = () => new Date(Date.now() + 3 * 3_600_000).toISOString();
const linkOf = (n: number, name: string, change: Partial<GuestLink> = {}): GuestLink => ({
  id: sampleId(n) as GuestLink['id'],
  channelId: nord.id,
  name,
  state: 'open',
  createdAt: '2026-11-20T10:00:00.000Z',
  createdBy: 'Camille Durand',
  expiresAt: soon(),
  lastUsedAt: null,
  guests: [],
  ...change,
});
const guests = [{ id: sampleId(9) as never, name: 'Julie', since: '2026-11-20T10:00:00.000Z' }];

async function open(
  links: () => GuestLink[],
  prepare: (api: ApiDouble) => void = () => undefined,
): Promise<AppUnderTest> {
  const app = await renderApp({
    at: '/channelsList',
    signedIn: {},
    prepare(api) {
      api.on(getAllChannels, (query) => pageOf([nord], query, (channel) => channel.name));
      api.on(getGuestLinks, () => ({ success: true, res: links() }));
      prepare(api);
    },
  });
  await app.user.click(await screen.findByRole('button', { name: 'Liens d’invitation du canal Équipe Nord' }));
  await screen.findByRole('dialog', { name: 'Liens d’invitation' });
  return app;
}
const make = () => screen.findByRole('button', { name: 'Créer le lien' });

test('[GUEST13] says of each link for whom it is, how long, and who is in by it', async () => {
  await open(() => [
    linkOf(1, 'Pompiers', { guests, lastUsedAt: '2026-11-20T10:00:00.000Z' }),
    linkOf(2, 'Samu', { state: 'withdrawn' }),
    linkOf(3, 'Météo', { state: 'expired' }),
  ]);
  const [pompiers, samu, meteo] = await screen.findAllByRole('listitem');
  expect(pompiers).toHaveTextContent('Pompiers');
  expect(pompiers).toHaveTextContent('Expire dans 3 heures');
  expect(pompiers).toHaveTextContent('Julie');
  expect(samu).toHaveTextContent('Retiré');
  expect(within(samu as HTMLElement).queryByRole('button')).toBeNull();
  expect(meteo).toHaveTextContent('Expiré');
});

test('[GUEST13] an empty list says what it is for, and news are followed', async () => {
  const links: GuestLink[] = [];
  const app = await open(() => links);
  expect(await screen.findByText('Aucun lien pour ce canal')).toBeVisible();
  links.push(linkOf(1, 'Pompiers'));
  act(() => app.realtime.tell('changed', { what: 'guests', channelId: nord.id }));
  expect(await screen.findByRole('heading', { name: 'Pompiers' })).toBeVisible();
});

test('[GUEST1, TLS7] a new link is shown once, to be copied, and leads other devices to the server', async () => {
  const app = await open(
    () => [],
    (api) => {
      // The test's page is open on localhost.
      api.on(getServerInfo, () => serverInfoOf({ address: 'https://192.168.1.23:3000' }));
      api.on(createGuestLink, ({ name }) => ({ success: true, res: linkOf(1, name), path: '/join/Nord#guest=abc' }));
    },
  );
  const written: string[] = [];
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void written.push(text));
  await app.user.click(await make());
  expect(await screen.findByText('Saisissez un nom.')).toBeVisible();
  expect(app.api.inputs(createGuestLink)).toEqual([]);
  await app.user.type(screen.getByLabelText('Pour qui'), 'Pompiers');
  await app.user.selectOptions(screen.getByLabelText('Valable pendant'), '1 jour');
  await app.user.click(await make());
  expect(await screen.findByLabelText('Adresse du lien')).toHaveValue('https://192.168.1.23:3000/join/Nord#guest=abc');
  expect(app.api.inputs(createGuestLink)).toEqual([{ channelId: nord.id, name: 'Pompiers', hours: 24 }]);
  await app.user.click(screen.getByRole('button', { name: 'Copier le lien' }));
  expect(await screen.findByText('Lien copié')).toBeVisible();
  expect(written).toEqual(['https://192.168.1.23:3000/join/Nord#guest=abc']);
  await app.user.click(screen.getByRole('button', { name: 'C’est fait' }));
  expect(screen.queryByLabelText('Adresse du lien')).toBeNull();
});

test('[TLS7] a link that is made before the server said where others find it waits for that', async () => {
  const told = Promise.withResolvers<ReturnType<typeof serverInfoOf>>();
  const app = await open(
    () => [],
    (api) => {
      api.on(getServerInfo, () => told.promise);
      api.on(createGuestLink, ({ name }) => ({ success: true, res: linkOf(1, name), path: '/join/Nord#guest=abc' }));
    },
  );
  await app.user.type(await screen.findByLabelText('Pour qui'), 'Pompiers');
  await app.user.click(await make());
  told.resolve(serverInfoOf({ address: 'https://192.168.1.23:3000' }));
  expect(await screen.findByLabelText('Adresse du lien')).toHaveValue('https://192.168.1.23:3000/join/Nord#guest=abc');
});

test('[GUEST2] a refusal is said beside the form, which keeps what was typed', async () => {
  const app = await open(
    () => [],
    (api) => api.fail(createGuestLink, new ApiError('guest_links_full')),
  );
  await app.user.type(await screen.findByLabelText('Pour qui'), 'Pompiers');
  await app.user.click(await make());
  expect(await screen.findByRole('alert')).toHaveTextContent('Ce canal a trop de liens');
  expect(screen.getByLabelText('Pour qui')).toHaveValue('Pompiers');
});

test('[GUEST13] withdrawing asks, says who will be out, and can be left', async () => {
  const app = await open(
    () => [linkOf(1, 'Pompiers', { guests })],
    (api) => api.on(withdrawGuestLink, () => ({ success: true })),
  );
  const begin = () => app.user.click(screen.getByRole('button', { name: 'Retirer le lien pour Pompiers' }));
  await screen.findByRole('heading', { name: 'Pompiers' });
  await begin();
  const question = await screen.findByRole('dialog', { name: 'Retirer ce lien\u202f?' });
  expect(question).toHaveTextContent('1 personne entrée par ce lien quittera aussitôt le canal.');
  await app.user.click(within(question).getByRole('button', { name: 'Annuler' }));
  expect(app.api.inputs(withdrawGuestLink)).toEqual([]);
  await begin();
  await app.user.click(await screen.findByRole('button', { name: 'Retirer le lien' }));
  await waitFor(() => expect(app.api.inputs(withdrawGuestLink)).toEqual([{ linkId: sampleId(1) }]));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Retirer ce lien\u202f?' })).toBeNull());
});

test('[GUEST13] a list that can’t be read says so and can be asked for again', async () => {
  let isThere = false;
  const app = await open(() => {
    if (!isThere) throw new ApiError('unreachable');
    return [linkOf(1, 'Pompiers')];
  });
  const retry = await screen.findByRole('button', { name: 'Réessayer' }, { timeout: 10_000 });
  isThere = true;
  await app.user.click(retry);
  expect(await screen.findByRole('heading', { name: 'Pompiers' })).toBeVisible();
});
