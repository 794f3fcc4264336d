import { getAllUsers } from '@pressel/contract/users';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

test.each([
  [3_600_000, 2],
  [0, 3],
])('with %i ms of quiet and one change afterwards a list is read %i times', async (quietMs, reads) => {
  const app = await openList();
  app.realtime.tell('ready', { quietMs });
  app.realtime.tell('changed', { what: 'users' });
  await waitFor(() => expect(app.api.inputs(getAllUsers).length).toBeGreaterThanOrEqual(reads));
  expect(app.api.inputs(getAllUsers)).toHaveLength(reads);
});

test('after a lost link lists are read again, however quiet it was', async () => {
  const app = await openList();
  app.realtime.tell('ready', { quietMs: 3_600_000 });
  app.realtime.tell('ready', { quietMs: 3_600_000 });
  await waitFor(() => expect(app.api.inputs(getAllUsers)).toHaveLength(2));
});

async function openList() {
  const app = await renderApp({
    at: '/usersList',
    signedIn: {},
    prepare: (api) => api.on(getAllUsers, (query) => pageOf([userOf(2, 'Léa', 'Martin')], query, ({ id }) => id)),
  });
  await screen.findByText('Léa');
  return app;
}

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
