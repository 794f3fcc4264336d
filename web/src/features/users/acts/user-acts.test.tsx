import { getAllUsers } from '@pressel/contract/users';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

test('a row has a menu from its first use on; the focus goes into it and comes back', async () => {
  const people = [userOf(2, 'Léa', 'Martin'), userOf(3, 'Hugo', 'Bernard')];
  const { user } = await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) => api.on(getAllUsers, (query) => pageOf(people, query, ({ id }) => id)),
  });
  const row = (await screen.findByText('Léa')).closest('tr') as HTMLElement;
  const more = () => within(row).getByRole('button', { name: /^Autres actions/ });
  const menusIn = (place: Element) => place.querySelectorAll('[aria-controls]').length;
  const table = screen.getByRole('table');
  expect(menusIn(table)).toBe(0);
  expect(more()).toHaveAttribute('aria-haspopup', 'menu');
  expect(more()).toHaveAttribute('aria-expanded', 'false');

  more().focus();
  await user.keyboard('{Enter}');
  const first = await screen.findByRole('menuitem', { name: 'Journal d’activité' });
  expect(more()).toHaveAttribute('aria-expanded', 'true');
  await waitFor(() => expect(screen.getByRole('menu')).toContainElement(document.activeElement as HTMLElement));
  expect(first).toBeVisible();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(more()).toHaveFocus());
  expect(more()).toHaveAttribute('aria-expanded', 'false');
  await user.click(more());
  expect(await screen.findByRole('menuitem', { name: 'Déconnecter de tous les appareils' })).toBeVisible();
});
