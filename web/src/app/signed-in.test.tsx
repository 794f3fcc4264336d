import { isValidToken } from '@pressel/contract/auth';
import { getAllUsers } from '@pressel/contract/users';
import { act, render, screen, waitFor } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { createPatience } from '#src/shared/api/retry-after.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, sessionUserOf, userOf } from '#test/samples.ts';
import { AlertsWhenIdle } from './signed-in.tsx';
import type { UserLink } from './user-link.ts';

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

test('[LIST12] after a lost link lists are read again, however quiet it was', async () => {
  const app = await openList();
  app.realtime.tell('ready', { quietMs: 3_600_000 });
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
  app.realtime.tell('ready', { quietMs: 3_600_000 });
  await act(async () => undefined);
  expect(app.api.inputs(getAllUsers), 'not at the same moment as all other pages').toHaveLength(1);
  await waitFor(() => expect(app.api.inputs(getAllUsers)).toHaveLength(2), { timeout: 10_000 });
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

test('[POS8] [ROOM24] a right to the map that is given or taken away is known without a reload', async () => {
  const app = await renderApp({ at: '/profile', signedIn: { role: 'member', mapRight: false } });
  await screen.findByRole('heading', { level: 1 });
  const asked = app.api.inputs(isValidToken).length;
  app.realtime.tell('map_right', { mapRight: false });
  expect(app.api.inputs(isValidToken), 'known already').toHaveLength(asked);
  app.api.on(isValidToken, () => ({ success: true, user: sessionUserOf({ role: 'member', mapRight: true }) }));
  app.realtime.tell('map_right', { mapRight: true });
  await waitFor(() => expect(app.session.getSnapshot()).toMatchObject({ user: { mapRight: true } }));
});

test('[ROOM24] a role that changed, for which the server ended the link, is known when the link is back', async () => {
  const app = await renderApp({ at: '/usersList', signedIn: { role: 'admin', mapRight: true } });
  await waitFor(() => expect(app.session.getSnapshot()).toMatchObject({ user: { role: 'admin' } }));
  app.realtime.tell('ready', { quietMs: 3_600_000 });
  app.api.on(isValidToken, () => ({ success: true, user: sessionUserOf({ role: 'member', mapRight: true }) }));
  app.realtime.tell('ready', { quietMs: 3_600_000 });
  await waitFor(() => expect(app.session.getSnapshot()).toMatchObject({ user: { role: 'member' } }));
});

test.each([
  ['fr', 'Trop de demandes à la fois : le serveur vous fait patienter quelques secondes.'],
  ['en', 'Too many requests at once: the server asks you to wait a few seconds.'],
  ['de', 'Zu viele Anfragen auf einmal: Der Server bittet um einige Sekunden Geduld.'],
] as const)('[BUDGET7] in %s the console says that a call waits, as long as it does', async (language, words) => {
  const patience = createPatience();
  await renderApp({ at: '/profile', signedIn: {}, language, services: { patience } });
  await screen.findByRole('heading', { level: 1 });
  expect(screen.queryByText(words, { exact: false })).toBeNull();
  const leaving = new AbortController();
  const refused = () => Promise.reject(new ApiError('too_many', { retryAfterSeconds: 5 }));
  const call = patience.whenAllowed(refused, leaving.signal);
  expect(await screen.findByText(words, { exact: false })).toBeVisible();
  leaving.abort(new Error('the page is gone'));
  await expect(call).rejects.toThrow('the page is gone');
  await waitFor(() => expect(screen.queryByText(words, { exact: false })).toBeNull());
});

const alerts = { isBroken: false };

function Alerts() {
  if (alerts.isBroken) throw new Error('broken');
  return <p>Alerts</p>;
}

test('[CHATS60] what tells of messages comes once there is a link, and is tried again with the next one', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  // biome-ignore lint/suspicious/noConsole: React reports what a boundary catches
  const reported = vi.mocked(console.error).mockReturnValue();
  const realtime = createRealtimeDouble();
  realtime.setLink('down');
  alerts.isBroken = true;
  render(<AlertsWhenIdle link={{ realtime } as Partial<UserLink> as UserLink} Alerts={Alerts} />);
  act(() => void vi.runAllTimers());
  expect(reported).not.toHaveBeenCalled();

  act(() => realtime.setLink('up'));
  expect(reported).toHaveBeenCalled();
  reported.mockClear();
  act(() => realtime.setLink('down'));
  reported.mockClear();
  alerts.isBroken = false;
  act(() => realtime.setLink('up'));
  expect(screen.getByText('Alerts')).toBeVisible();
});
