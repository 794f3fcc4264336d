import { notifications } from '@mantine/notifications';
import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderApp } from '#test/render-app.tsx';

vi.mock('./palette.tsx', () => {
  throw new Error('The link is lost.');
});
// Mantine keeps them in its module, from test to test.
afterEach(() => notifications.clean());

test('[LIST10] a palette that cannot be loaded says so, and takes neither the page nor the letters that follow', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: {} });
  await screen.findByRole('searchbox');
  await app.user.keyboard('{Control>}k{/Control}');
  expect(await screen.findByText(/Cette fenêtre n’a pas pu être chargée/u)).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Coéquipiers' })).toBeVisible();
  await app.user.keyboard('/');
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
});

test('[LIST10] the sheet of keys prints them as the language names them', async () => {
  const app = await renderApp({ at: '/channelsList', signedIn: {}, language: 'de' });
  await screen.findByRole('searchbox');
  await app.user.keyboard('?');
  expect(await screen.findByText('Strg')).toBeVisible();
});
