import { getAllUsers } from '@pressel/contract/users';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

test('lists are read again after the socket connected, and after the link was down', async () => {
  let users = [userOf(2, 'Léa', 'Martin')];
  const app = await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) => api.on(getAllUsers, (query) => pageOf(users, query, ({ id }) => id)),
  });
  await screen.findByText('Léa');
  users = [userOf(3, 'Hugo', 'Bernard')];
  app.realtime.tell('ready', {});
  expect(await screen.findByText('Hugo')).toBeVisible();
  app.realtime.setLink('down');
  users = [userOf(4, 'Zoé', 'Petit')];
  app.realtime.setLink('up');
  app.realtime.tell('ready', {});
  expect(await screen.findByText('Zoé')).toBeVisible();
});
