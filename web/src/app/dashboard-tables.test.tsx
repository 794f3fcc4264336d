import { getAllUsers, type User } from '@pressel/contract/users';
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fullName } from '#src/shared/format/format.ts';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

/** Everything is in view: jsdom has no layout. */
class AllInView {
  readonly #tell: (entries: { isIntersecting: boolean }[]) => void;
  constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
    this.#tell = tell;
  }
  observe = () => this.#tell([{ isIntersecting: true }]);
  unobserve = () => undefined;
  disconnect = () => undefined;
}
beforeEach(() => vi.stubGlobal('IntersectionObserver', AllInView));
afterEach(() => vi.unstubAllGlobals());

const lea = userOf(2, 'Léa', 'Martin');
const hugo = userOf(3, 'Hugo', 'Bernard');

/** The list of users on the dashboard. */
async function openUsers(...users: User[]) {
  const app = await renderApp({
    at: '/dashboard',
    signedIn: {},
    prepare: (api) => api.on(getAllUsers, (query) => pageOf(users, query, fullName)),
  });
  const table = within(await screen.findByRole('table', { name: 'Coéquipiers' }));
  return { app, table, rows: () => table.getAllByRole('row').slice(1) };
}

test('[DASH9] the team’s users are listed on the dashboard, and its filter stands in a part of the address of its own', async () => {
  const { app, table, rows } = await openUsers(hugo, lea);
  expect(await table.findByText('Martin')).toBeVisible();
  expect(rows()).toHaveLength(2);
  await app.user.type(screen.getByRole('searchbox', { name: 'Filtrer les coéquipiers' }), 'hugo');
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(rows()[0]).toHaveTextContent('Bernard');
  expect(app.router.state.location.search).toEqual({ users: { q: 'hugo' } });
});

test('[DASH9] this list has names, login, pseudo and what can be done, and nothing else', async () => {
  const { table, rows } = await openUsers({ ...lea, mapRight: true });
  await table.findByText('Martin');
  const headers = table.getAllByRole('columnheader').map(({ textContent }) => textContent);
  expect(headers).toEqual(['Prénom', 'Nom', 'Identifiant', 'Pseudo', 'Actions']);
  const cells = within(rows()[0] as HTMLElement)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);
  // The initials stand before the first name, because there is no photo.
  expect(cells).toEqual(['LMLéa', 'Martin', 'léa@example.org', 'LÉA', '']);
  expect(table.getByRole('button', { name: 'Modifier Léa Martin' })).toBeVisible();
  expect(table.getByRole('button', { name: 'Supprimer Léa Martin' })).toBeVisible();
});
