import { getAllUsers, getUserIds } from '@pressel/contract/users';
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { pageOf, userOf } from '#test/samples.ts';

const many = Array.from({ length: 12 }, (_, n) => userOf(n + 10, `P${n}`, `N${n}`));
const open = (at: string, language: 'fr' | 'en' | 'de' = 'fr') =>
  renderApp({
    at,
    signedIn: {},
    language,
    prepare: (api) => {
      api.on(getAllUsers, (query) => pageOf(many, { ...query, filter: '' }, () => ''));
      api.on(getUserIds, () => ({ success: true, res: many.map(({ id }) => id) }));
    },
  });

test.each([
  ['fr', 'EN LIGNE', { states: ['online'], activityTypes: [] }],
  ['en', 'offline', { states: ['offline'], activityTypes: [] }],
  ['fr', 'parole', { states: [], activityTypes: ['channel_talk'] }],
  ['fr', 'envoyee', { states: [], activityTypes: ['position_update', 'image_send'] }],
  ['de', 'nachricht gesendet', { states: [], activityTypes: ['message_send'] }],
  ['en', 'no activity', { states: [], activityTypes: ['none'] }],
  ['fr', 'zzz', { states: [], activityTypes: [] }],
] as const)('[LIST5] in %s the filter %s is told by what the row says', async (language, filter, words) => {
  const app = await open(`/usersList?q=${encodeURIComponent(filter)}`, language);
  await screen.findByText('N0');
  expect(app.api.inputs(getAllUsers).at(-1)).toMatchObject({ filter, language, ...words });
});

test('[LIST5] all that the filter finds are selected by the same words', async () => {
  const app = await open('/usersList?q=en+ligne');
  await app.user.click(await screen.findByRole('checkbox', { name: 'Sélectionner P0 N0' }));
  await app.user.click(await screen.findByRole('button', { name: /Sélectionner les 12/u }));
  await waitFor(() => expect(app.api.inputs(getUserIds)).toMatchObject([{ filter: 'en ligne', states: ['online'] }]));
});

test('[LIST4] back undoes paging and sorting step by step; typing is no step', async () => {
  const app = await open('/usersList');
  await screen.findByText('N0');
  const search = () => app.router.state.location.search;
  await app.user.click(screen.getByRole('button', { name: 'Page suivante' }));
  await screen.findByText('N5');
  await app.user.click(screen.getByRole('button', { name: 'État' }));
  await waitFor(() => expect(search()).toEqual({ sort: 'state' }));
  await app.user.type(screen.getByRole('searchbox'), 'ab');
  await waitFor(() => expect(search()).toEqual({ sort: 'state', q: 'ab' }));
  act(() => app.router.history.back());
  await waitFor(() => expect(search()).toEqual({ page: 2 }));
  act(() => app.router.history.back());
  await waitFor(() => expect(search()).toEqual({}));
});

test('[LIST4] a page that is no more is left without a step', async () => {
  const app = await open('/usersList?page=9');
  await waitFor(() => expect(app.router.state.location.search).toEqual({ page: 3 }));
  expect(app.router.history.length).toBe(1);
});
