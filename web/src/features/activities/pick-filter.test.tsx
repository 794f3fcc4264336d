import { getAllUsers, getUserById } from '@pressel/contract/users';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fullName } from '#src/shared/format/format.ts';
import { serveLog } from '#test/log-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

test('[ROOM9] the log’s filter offers people with their pseudos, and says whom it was set to by name and pseudo', async () => {
  const lea = userOf(2, 'Léa', 'Martin');
  const { user } = await renderApp({
    at: '/activities',
    signedIn: {},
    prepare: (api) => {
      serveLog(api, []);
      api.on(getUserById, () => ({ success: true, res: lea }));
      api.on(getAllUsers, (query) => pageOf([lea], query, fullName));
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Par' }));
  await user.click(await screen.findByRole('button', { name: /^Léa Martin · LÉA/u }));
  expect(await screen.findByText(/^Par.*Léa Martin · LÉA$/u)).toBeVisible();
});
