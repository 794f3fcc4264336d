import { deleteUser, getAllUsers, type User } from '@pressel/contract/users';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ApiDouble } from '#test/api-double.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

const ana = userOf(2, 'Ana', 'Abel');
const hugo = userOf(3, 'Hugo', 'Bernard');
const lea = userOf(4, 'Léa', 'Martin');

const withUsers =
  (...users: User[]) =>
  (api: ApiDouble) =>
    api.on(getAllUsers, (query) => pageOf(users, query, ({ lastName }) => lastName));
const rows = () => screen.getAllByRole('row').slice(1);
const names = () => rows().map((row) => within(row).getAllByRole('cell')[2]?.textContent);

/** Changes the list on the server, as somebody else would, and waits until it is read again. */
const becomes = async (app: AppUnderTest, ...users: User[]) => {
  const asked = app.api.inputs(getAllUsers).length;
  withUsers(...users)(app.api);
  act(() => app.realtime.tell('changed', { what: 'users' }));
  await waitFor(() => expect(app.api.inputs(getAllUsers).length).toBeGreaterThan(asked));
};

test('[LIST1] while the pointer is in the list, a row that comes elsewhere moves none; it is announced, and shown when asked for', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(hugo, lea) });
  await app.user.hover(await screen.findByRole('button', { name: 'Supprimer Léa Martin' }));
  await becomes(app, ana, hugo, lea);
  const show = await screen.findByRole('button', { name: '1 nouveau, afficher' });
  expect(names()).toEqual(['Bernard', 'Martin']);
  await app.user.click(show);
  expect(names()).toEqual(['Abel', 'Bernard', 'Martin']);
});

test('[LIST1] the pointer gone, the list is what it is', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(hugo, lea) });
  await app.user.hover(await screen.findByText('Martin'));
  await becomes(app, ana, hugo, lea);
  await screen.findByRole('button', { name: '1 nouveau, afficher' });
  await app.user.hover(screen.getByRole('heading', { name: 'Coéquipiers' }));
  expect(names()).toEqual(['Abel', 'Bernard', 'Martin']);
});

test('[LIST1] what is gone stays in its place, greyed, and nothing can be done to it', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(ana, hugo, lea) });
  (await screen.findByRole('button', { name: 'Supprimer Hugo Bernard' })).focus();
  await becomes(app, ana, lea);
  await screen.findByRole('button', { name: 'Liste modifiée, afficher' });
  expect(names()).toEqual(['Abel', 'Bernard', 'Martin']);
  expect(rows()[1]).toHaveAttribute('aria-disabled', 'true');
  await app.user.keyboard('{Enter}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(app.api.inputs(deleteUser)).toEqual([]);
  expect(screen.getByRole('button', { name: 'Supprimer Hugo Bernard' })).toHaveFocus();
});

test('[LIST1] another page, order or filter is shown at once, wherever the pointer is', async () => {
  const many = Array.from({ length: 8 }, (_, n) => userOf(n + 10, `P${n}`, `N${n}`));
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(...many) });
  await screen.findByText('N0');
  await app.user.click(screen.getByRole('button', { name: 'Page suivante' }));
  expect(await screen.findByText('N5')).toBeVisible();
  expect(screen.queryByText('N0')).toBeNull();
  expect(screen.queryByRole('button', { name: /afficher/u })).toBeNull();
});

test('[LIST1] rows that were deleted under a filter do not come back when it is cleared', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(ana, hugo, lea) });
  await screen.findByText('Martin');
  await app.user.type(screen.getByRole('searchbox'), 'Abel');
  await waitFor(() => expect(names()).toEqual(['Abel']));
  await becomes(app, hugo, lea);
  await screen.findByText('Personne ne correspond à « Abel »');
  const answer = Promise.withResolvers<void>();
  app.api.on(getAllUsers, async (query) => {
    await answer.promise;
    return pageOf([hugo, lea], query, ({ lastName }) => lastName);
  });
  await app.user.clear(screen.getByRole('searchbox'));
  // The rows read before stay until the answer comes.
  await app.user.hover(await screen.findByText('Abel'));
  answer.resolve();
  await waitFor(() => expect(names()).toEqual(['Bernard', 'Martin']));
  expect(screen.queryByRole('button', { name: /afficher/u })).toBeNull();
});

test('[LIST1] a list that comes back is not held by a pointer that left while it was empty', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(hugo, lea) });
  await app.user.hover(await screen.findByText('Martin'));
  screen.getByRole('searchbox').focus();
  await app.user.keyboard('Nobody');
  await screen.findByText('Personne ne correspond à « Nobody »');
  await app.user.hover(screen.getByRole('heading', { name: 'Coéquipiers' }));
  await app.user.clear(screen.getByRole('searchbox'));
  await waitFor(() => expect(names()).toEqual(['Bernard', 'Martin']));
  await becomes(app, ana, hugo, lea);
  await waitFor(() => expect(names()).toEqual(['Abel', 'Bernard', 'Martin']));
});

test('[LIST1] a page that was read before is read again under the pointer without announcing what changed meanwhile', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {}, prepare: withUsers(ana, hugo, lea) });
  const header = await screen.findByRole('button', { name: 'Prénom' });
  await app.user.click(header);
  await waitFor(() => expect(app.api.inputs(getAllUsers).at(-1)?.sort).toBe('firstName'));
  await becomes(app, hugo, lea);
  await screen.findByRole('button', { name: 'Liste modifiée, afficher' });
  // Returns to the order whose page still has Ana.
  await app.user.click(screen.getByRole('button', { name: 'Nom' }));
  await waitFor(() => expect(names()).toEqual(['Bernard', 'Martin']));
  expect(screen.queryByRole('button', { name: /afficher/u })).toBeNull();
});
