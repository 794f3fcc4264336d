import { getAllUsers } from '@pressel/contract/users';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { type AppUnderTest, renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

const many = Array.from({ length: 12 }, (_, n) => userOf(n + 10, `P${n}`, `N${n}`));
const open = () =>
  renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) => api.on(getAllUsers, (query) => pageOf(many, query, ({ lastName }) => lastName)),
  });
const button = (name: string) => screen.getByRole('button', { name });
const lose = (app: AppUnderTest) => act(() => app.realtime.setLink('down'));

test('[LIST6] with the link lost the rows stay and say that they may be old; only pages that were read are offered', async () => {
  const app = await open();
  await screen.findByText('N0');
  await app.user.click(button('Page suivante'));
  await screen.findByText('N5');
  lose(app);
  expect(await screen.findByText('Ces lignes peuvent être anciennes.')).toBeVisible();
  expect(button('Page suivante')).toHaveAttribute('aria-disabled', 'true');
  expect(button('Dernière page')).toHaveAttribute('aria-disabled', 'true');
  await app.user.click(button('Page précédente'));
  expect(await screen.findByText('N0')).toBeVisible();
  act(() => app.realtime.setLink('up'));
  await waitFor(() => expect(button('Dernière page')).toHaveAttribute('aria-disabled', 'false'));
  expect(screen.queryByText(/peuvent être anciennes/u)).toBeNull();
});

test('[LIST6] [ROOM26] that the link is lost is said once beside a list, and nothing of a room to who is in none', async () => {
  const app = await open();
  await screen.findByText('N0');
  lose(app);
  expect(await screen.findByText('Ces lignes peuvent être anciennes.')).toBeVisible();
  expect(document.body.textContent?.match(/liaison/giu)).toHaveLength(1);
  expect(screen.queryByText(/entend/u)).toBeNull();
});

test('[LIST6] a page that cannot be read leaves the rows of the last one, says so, and is read on demand', async () => {
  const app = await open();
  await screen.findByText('N0');
  app.api.fail(getAllUsers, new ApiError('internal'));
  await app.user.click(button('Page suivante'));
  expect(await screen.findByText(/Voici la dernière affichée/u)).toBeVisible();
  expect(screen.getByText('N0')).toBeVisible();
  expect(screen.getByText('1–5 sur 12')).toBeVisible();
  app.api.on(getAllUsers, (query) => pageOf(many, query, ({ lastName }) => lastName));
  await app.user.click(button('Réessayer'));
  expect(await screen.findByText('N5')).toBeVisible();
});
