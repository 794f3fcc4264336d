import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { sizeWindow } from '#test/window-size.ts';

beforeEach(() => sizeWindow(1480));
afterEach(() => {
  vi.useRealTimers();
});

const navigation = async () => within(await screen.findByRole('navigation', { name: 'Navigation principale' }));

test('the sidebar leads to dashboard, users, channels and the log, and adds users and channels', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {} });
  const nav = await navigation();
  const goes = async (name: string, heading: string) => {
    await app.user.click(nav.getByRole('link', { name }));
    expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeVisible();
  };
  await goes('Tableau de bord', 'Bonjour Camille');
  await goes('Coéquipiers', 'Coéquipiers');
  await goes('Journal d’activité', 'Journal d’activité');
  await goes('Canaux', 'Canaux');
  await app.user.click(nav.getByRole('link', { name: 'Ajouter un coéquipier' }));
  expect(await screen.findByRole('dialog', { name: 'Ajouter un coéquipier' })).toBeVisible();
  await app.user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await app.user.click((await navigation()).getByRole('link', { name: 'Créer un canal' }));
  expect(await screen.findByRole('dialog', { name: 'Nouveau canal' })).toBeVisible();
});

test.each([
  [1480, true],
  [1479, false],
])('at %i px the sidebar stands beside the page: %s', async (width, isBeside) => {
  sizeWindow(width);
  await renderApp({ at: '/channelsList', signedIn: {} });
  await screen.findByRole('heading', { level: 1, name: 'Canaux' });
  expect(screen.queryByRole('navigation') !== null).toBe(isBeside);
  expect(screen.queryByRole('button', { name: 'Ouvrir le menu' }) === null).toBe(isBeside);
});

test('[KEYS4] the drawer of the sidebar is called by what it holds', async () => {
  sizeWindow(1479);
  const app = await renderApp({ at: '/channelsList', signedIn: {} });
  await app.user.click(await screen.findByRole('button', { name: 'Ouvrir le menu' }));
  expect(await screen.findByRole('dialog', { name: 'Menu' })).toHaveTextContent('Tableau de bord');
});

test('the top bar has the product’s name', async () => {
  await renderApp({ at: '/channelsList', signedIn: {} });
  const [bar] = await screen.findAllByRole('banner');
  expect(bar).toHaveTextContent('Pressel');
});

test('the clock goes on with each second', async () => {
  vi.useFakeTimers({ now: new Date(2026, 10, 22, 10, 59, 58, 400), shouldAdvanceTime: false, toFake: ['Date'] });
  await renderApp({ at: '/channelsList', signedIn: {} });
  expect(await screen.findByText('10:59:58')).toBeVisible();
  act(() => void vi.setSystemTime(new Date(2026, 10, 22, 10, 59, 59, 10)));
  expect(await screen.findByText('10:59:59')).toBeVisible();
});
