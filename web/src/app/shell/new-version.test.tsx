import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createInstalling } from '#src/shared/installing.ts';
import { createRenewal } from '#src/shared/renewal.ts';
import { renderApp } from '#test/render-app.tsx';
import { sessionUserOf } from '#test/samples.ts';

function createKept() {
  const reload = vi.fn<() => void>();
  const renewal = createRenewal({
    reload,
    look: () => undefined,
    forgetPage: async () => undefined,
    isServerThere: async () => true,
    last: { read: () => 0, write: () => undefined },
    now: () => 0,
  });
  return { reload, renewal };
}

const update = () => screen.queryByRole('button', { name: 'Mettre à jour' });

test.each([
  ['inside', '/channelsList', {}],
  ['at the door', '/signin', undefined],
])('[APP7] %s a newer version is told, and taken by a button alone', async (_, at, signedIn) => {
  const { reload, renewal } = createKept();
  const app = await renderApp({ at, signedIn, services: { renewal } });
  await screen.findByRole('heading', { level: 1 });
  expect(update()).toBeNull();
  act(() => renewal.offer(true));
  expect(await screen.findByText('Une nouvelle version est prête.')).toBeInTheDocument();
  expect(reload).not.toHaveBeenCalled();
  await app.user.click(screen.getByRole('button', { name: 'Mettre à jour' }));
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
});

test('[APP7] whoever is in a room or a call hears of it afterwards', async () => {
  const { renewal } = createKept();
  await renderApp({ at: '/channelsList', signedIn: {}, services: { renewal } });
  await screen.findByRole('heading', { level: 1 });
  const letGo = renewal.blockReload();
  act(() => renewal.offer(true));
  expect(update()).toBeNull();
  act(letGo);
  expect(update()).toBeVisible();
  act(() => renewal.offer(false));
  expect(update()).toBeNull();
});

test('[APP7] at the door it makes way for what is typed, and comes again inside', async () => {
  const { renewal } = createKept();
  const app = await renderApp({ at: '/signin', services: { renewal } });
  act(() => renewal.offer(true));
  await app.user.type(await screen.findByLabelText('Identifiant (adresse e-mail)'), 'c');
  expect(update()).toBeNull();
  act(() => app.session.open(sessionUserOf(), 'fresh-token', false));
  await act(() => app.router.navigate({ to: '/channelsList' }));
  expect(await screen.findByRole('button', { name: 'Mettre à jour' })).toBeVisible();
});

test('[APP14] a page that speaks another contract than the server says so, with a button', async () => {
  const { reload, renewal } = createKept();
  const app = await renderApp({ at: '/channelsList', signedIn: {}, services: { renewal } });
  await screen.findByRole('heading', { level: 1 });
  act(() => {
    renewal.offer(true, 'server');
    renewal.setApart('reloads');
  });
  const said = await screen.findByText('Cette page n’a plus la même version que le serveur.');
  expect(said.closest('[role=alert]')).toHaveTextContent('La page se rechargera d’elle-même');
  expect(update(), 'said once').toBeNull();
  await app.user.click(screen.getByRole('button', { name: 'Recharger maintenant' }));
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
});

test('[APP18] a page that came by a link says that the link has to be opened again', async () => {
  const { renewal } = createKept();
  await renderApp({ at: '/channelsList', signedIn: {}, services: { renewal } });
  act(() => renewal.setApart('link'));
  expect(await screen.findByText(/Ouvrez de nouveau le lien/u)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Recharger maintenant' })).toBeNull();
});

test('[APP1] the app is installed from the account’s menu, while the browser offers it', async () => {
  const app = await renderApp({
    at: '/channelsList',
    signedIn: {},
    services: { installing: createInstalling(window) },
  });
  const open = async () => app.user.click(await screen.findByRole('button', { name: 'Compte de Camille Durand' }));
  const item = () => screen.queryByRole('menuitem', { name: 'Installer l’application' });
  const prompt = vi.fn<() => Promise<void>>(async () => undefined);
  const offer = () =>
    fireEvent(window, Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt }));
  await open();
  expect(await screen.findByRole('menuitem', { name: 'Mon profil' })).toBeVisible();
  expect(item()).toBeNull();
  expect(offer(), 'the browser’s own bar stays away').toBe(false);
  await app.user.click(await screen.findByRole('menuitem', { name: 'Installer l’application' }));
  expect(prompt).toHaveBeenCalledTimes(1);
  await open();
  expect(item(), 'an offer is good for once').toBeNull();
  offer();
  expect(item()).not.toBeNull();
  fireEvent(window, new Event('appinstalled'));
  expect(item(), 'it is installed').toBeNull();
});
