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
  [1480, 900, 'full', null],
  [1479, 900, 'rail', 'Déplier le menu'],
  [1100, 900, 'rail', 'Déplier le menu'],
  [1099, 900, 'rail', 'Ouvrir le menu'],
  [851, 900, 'rail', 'Ouvrir le menu'],
  [850, 900, null, 'Ouvrir le menu'],
  [932, 430, null, 'Ouvrir le menu'],
])('[ROOM27] at %i × %i px beside the page stands of the sidebar: %s', async (width, height, beside, button) => {
  sizeWindow(width, height);
  await renderApp({ at: '/channelsList', signedIn: {} });
  await screen.findByRole('heading', { level: 1, name: 'Canaux' });
  const side = screen.queryByRole('complementary');
  expect(side === null ? null : side.hasAttribute('data-rail') ? 'rail' : 'full').toBe(beside);
  const menus = screen.queryAllByRole('button', { name: /le menu$/u });
  expect(menus.map((one) => one.getAttribute('aria-label'))).toEqual(button === null ? [] : [button]);
});

test('[ROOM27] the rail has every screen by name; unfolded it stands beside the page, and is so the next time', async () => {
  sizeWindow(1280);
  const app = await renderApp({ at: '/channelsList', signedIn: {} });
  const nav = await navigation();
  const places = nav.getAllByRole('link').map(({ textContent }) => textContent);
  expect(places).toEqual(['Tableau de bord', 'Coéquipiers', 'Canaux', 'Journal d’activité']);
  const menu = screen.getByRole('button', { name: 'Déplier le menu', expanded: false });
  await app.user.click(menu);
  expect(nav.getByRole('link', { name: 'Ajouter un coéquipier' })).toBeVisible();
  expect(menu).toHaveAttribute('aria-expanded', 'true');
  expect(menu).toHaveFocus();
  await app.user.click(nav.getByRole('link', { name: 'Journal d’activité' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Journal d’activité' })).toBeVisible();
  expect(menu).toHaveAttribute('aria-expanded', 'true');
  expect(window.localStorage.getItem('isNavUnfolded')).toBe('true');
});

test('[ROOM27] where the page would be narrow beside it, the sidebar opens over the page', async () => {
  sizeWindow(900);
  window.localStorage.setItem('isNavUnfolded', 'true');
  const app = await renderApp({ at: '/channelsList', signedIn: {} });
  expect(await screen.findByRole('complementary')).toHaveAttribute('data-rail');
  await app.user.click(screen.getByRole('button', { name: 'Ouvrir le menu' }));
  expect(await screen.findByRole('dialog', { name: 'Menu' })).toHaveTextContent('Tableau de bord');
});

test('[KEYS4] the drawer of the sidebar is called by what it holds', async () => {
  sizeWindow(850);
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
