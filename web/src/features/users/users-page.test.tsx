import { getAllUsers } from '@pressel/contract/users';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { userOf } from '#test/samples.ts';

const rows = () => screen.getAllByRole('row').slice(1);

test('lists everybody by last name, with map access in words', async () => {
  await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) =>
      api.on(getAllUsers, () => ({
        success: true,
        res: [userOf(2, 'Léa', 'Martin'), { ...userOf(3, 'Hugo', 'Bernard'), mapRight: true }],
      })),
  });
  await screen.findByText('Martin');
  expect(rows()[0]).toHaveTextContent('HugoBernardhugo@example.orgHUGOui');
  expect(rows()[1]).toHaveTextContent('Non');
});

test('thousands of users come page by page, and the filter looks at all of them', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => userOf(index + 2, `Prénom${index}`, `Nom${index}`));
  const app = await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) => api.on(getAllUsers, () => ({ success: true, res: many })),
  });
  await screen.findByText('Nom0');
  expect(rows()).toHaveLength(50);
  await app.user.click(screen.getByRole('button', { name: 'Page suivante' }));
  expect(await screen.findByText('Nom50')).toBeVisible();
  expect(app.router.state.location.search).toEqual({ page: 2 });
  await app.user.click(screen.getByRole('searchbox'));
  await app.user.paste('nom1999');
  await waitFor(() => expect(rows()).toHaveLength(1));
});
