import { getAllActivities } from '@pressel/contract/activities';
import { getAllChannels } from '@pressel/contract/channels';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { activityOf, serveLog } from '#test/log-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf } from '#test/samples.ts';
import { activitiesSearch, filterOf, logLayout, presetPeriod } from './activities-view.ts';

const logOf = (count: number) => Array.from({ length: count }, (_, index) => activityOf(count - index));
const open = async (entries = logOf(50), at = '/activities') =>
  renderApp({ at, signedIn: {}, prepare: (api) => serveLog(api, entries) });
const shown = () => screen.getAllByRole('article').map((entry) => /Canal (\d+)/u.exec(entry.textContent ?? '')?.[1]);
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => String(from - index));

test('[LOGS6] one a line they stand under their days with the time to the second, 50 a page; the choice is remembered', async () => {
  const entries = logOf(80);
  const { user, router, unmount, storage } = await open(entries, '/activities?page=3');
  await waitFor(() => expect(shown()).toEqual(range(38, 18)));
  await user.click(screen.getByRole('button', { name: 'Une ligne par entrée', pressed: false }));
  // The page that has the 43rd entry.
  await waitFor(() => expect(shown()).toEqual(range(80, 31)));
  expect(router.state.location.search).toMatchObject({ layout: 'lines' });
  const [entry] = screen.getAllByRole('article');
  expect(entry?.querySelector('time')).toHaveTextContent(/^\d\d:\d\d:\d\d$/u);
  expect(screen.getAllByRole('heading', { level: 2 }).length).toBeGreaterThan(0);
  expect(storage.readPreference('logLayout', logLayout)).toBe('lines');
  unmount();
  await open(entries);
  await waitFor(() => expect(shown()).toEqual(range(80, 31)));
});

test('[LOGS9] minutes of the address count to their end, as this browser has them', async () => {
  const { api } = await open(logOf(1), '/activities?from=2026-11-20T13:05&to=2026-11-20T14:10');
  await waitFor(() => expect(api.inputs(getAllActivities)).toHaveLength(1));
  expect(api.inputs(getAllActivities)[0]).toMatchObject({
    from: new Date(2026, 10, 20, 13, 5).toISOString(),
    to: new Date(2026, 10, 20, 14, 11).toISOString(),
  });
});

describe('[LOGS9] where clocks change', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  const spring = { from: '2026-03-29T01:59', to: '2026-03-29T03:00' };
  const autumn = { from: '2026-10-25T02:30', to: '2026-10-25T02:30' };
  test.each([
    ['Europe/Paris', spring, '2026-03-29T00:59:00.000Z', '2026-03-29T01:01:00.000Z'],
    [
      'Europe/Paris',
      { from: '2026-03-29T02:30', to: '2026-03-29' },
      '2026-03-29T00:30:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ],
    ['Europe/Paris', autumn, '2026-10-25T00:30:00.000Z', '2026-10-25T01:31:00.000Z'],
    ['Europe/Paris', { from: '2026-10-25', to: '2026-10-25' }, '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    [
      'Australia/Lord_Howe',
      { from: '2026-04-05T01:45', to: '2026-04-05T01:45' },
      '2026-04-04T14:45:00.000Z',
      '2026-04-04T15:16:00.000Z',
    ],
    [
      'Asia/Kathmandu',
      { from: '2026-11-26T00:00', to: '2026-11-26T00:00' },
      '2026-11-25T18:15:00.000Z',
      '2026-11-25T18:16:00.000Z',
    ],
  ])('%s %o', (timeZone, period, from, to) => {
    vi.stubEnv('TZ', timeZone);
    expect(filterOf(period)).toEqual({ from, to });
  });
});

test('[LOGS9] what is no minute is left out', () => {
  const kept = (from: string) => activitiesSearch().parse({ from }).from;
  expect(kept('2026-11-20T13:05')).toBe('2026-11-20T13:05');
  for (const text of [
    '2026-11-20T13:05:30',
    '2026-11-20T24:00',
    '2026-02-30T10:00',
    '2026-11-20 13:05',
    '2026-11-20T13:05Z',
    'now',
  ])
    expect(kept(text)).toBeUndefined();
});

test('[LOGS9] a period that ends before it begins says so, where it is set and in place of entries', async () => {
  const { user } = await open([], '/activities?from=2026-11-20T14:00&to=2026-11-20T13:59');
  expect(await screen.findByRole('heading', { name: 'La fin est avant le début.' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Du 20 nov. 2026 14:00 au 20 nov. 2026 13:59' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('La fin est avant le début.');
  fireEvent.change(screen.getByLabelText('Jusqu’à'), { target: { value: '14:00' } });
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('[LOGS9] by a time: alone it is one of today; taken away, the whole day is meant', async () => {
  const { user, router } = await open(logOf(1));
  const today = presetPeriod('today', new Date()).from;
  await user.click(await screen.findByRole('button', { name: 'Période' }));
  fireEvent.change(await screen.findByLabelText('À partir de'), { target: { value: '13:05' } });
  await waitFor(() => expect(router.state.location.search).toEqual({ from: `${today}T13:05` }));
  expect(screen.getByLabelText('Premier jour')).toHaveValue(today);
  fireEvent.change(screen.getByLabelText('Premier jour'), { target: { value: '2026-11-20' } });
  await waitFor(() => expect(router.state.location.search).toEqual({ from: '2026-11-20T13:05' }));
  expect(screen.getByRole('button', { name: 'Depuis le 20 nov. 2026 13:05' })).toBeVisible();
  fireEvent.change(screen.getByLabelText('À partir de'), { target: { value: '13:00' } });
  fireEvent.change(screen.getByLabelText('À partir de'), { target: { value: '13:09' } });
  await waitFor(() => expect(router.state.location.search).toEqual({ from: '2026-11-20T13:09' }));
  fireEvent.change(screen.getByLabelText('À partir de'), { target: { value: '' } });
  await waitFor(() => expect(router.state.location.search).toEqual({ from: '2026-11-20' }));
  act(() => router.history.back());
  await waitFor(() => expect(router.state.location.search).toEqual({ from: '2026-11-20T13:09' }));
  // Typing the time added no history entry.
  act(() => router.history.back());
  await waitFor(() => expect(router.state.location.search).toEqual({ from: `${today}T13:05` }));
});

test('[LOGS9] by a preset, as the days that it means now', async () => {
  const { user, router } = await open(logOf(1));
  const { from, to } = presetPeriod('yesterday', new Date());
  await user.click(await screen.findByRole('button', { name: 'Période' }));
  await user.click(await screen.findByRole('button', { name: 'Hier' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ from, to }));
  const button = await screen.findByRole('button', { name: /^Le \d\d .+ \d{4}$/u });
  await waitFor(() => expect(button).toHaveFocus());
});

test('[LOGS9] presets are days and minutes of this browser', () => {
  const now = new Date(2026, 2, 1, 0, 30, 45);
  expect(presetPeriod('lastHour', now)).toEqual({ from: '2026-02-28T23:30', to: undefined });
  expect(presetPeriod('today', now)).toEqual({ from: '2026-03-01', to: '2026-03-01' });
  expect(presetPeriod('yesterday', now)).toEqual({ from: '2026-02-28', to: '2026-02-28' });
});

test('[LOGS9] by days: a year counts when it is whole, and what is typed of it stays', async () => {
  const { user, router } = await open(logOf(1));
  await user.click(await screen.findByRole('button', { name: 'Période' }));
  const first = await screen.findByLabelText('Premier jour');
  // The values that browsers report of a date field while the four digits of a year are typed.
  for (const value of ['0002-11-20', '0020-11-20', '0202-11-20']) {
    fireEvent.change(first, { target: { value } });
    await act(async () => router.load());
    expect(first).toHaveValue(value);
    expect(router.state.location.search).toEqual({});
  }
  fireEvent.change(first, { target: { value: '2026-11-20' } });
  await waitFor(() => expect(router.state.location.search).toEqual({ from: '2026-11-20' }));
  fireEvent.change(first, { target: { value: '0002-11-20' } });
  fireEvent.blur(first);
  expect(first).toHaveValue('2026-11-20');
  act(() => router.history.back());
  await waitFor(() => expect(first).toHaveValue(''));
});

test('[LOGS9] up to the last day that there is are all from before it', async () => {
  const { api } = await open(logOf(1), '/activities?to=9999-12-31');
  await waitFor(() => expect(shown()).toEqual(['1']));
  expect(api.inputs(getAllActivities)[0]).toEqual({ start: 0, limit: 21 });
});

test('[LOGS15] a channel’s row leads to what happened in it', async () => {
  const nord = channelOf(1, 'Nord');
  const { user, router } = await renderApp({
    at: '/channelsList',
    signedIn: {},
    prepare(api) {
      serveLog(api, logOf(1));
      api.on(getAllChannels, (query) => pageOf([nord], query, ({ name }) => name));
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Journal du canal Nord' }));
  await waitFor(() => expect(router.state.location).toMatchObject({ pathname: '/activities' }));
  expect(router.state.location.search).toEqual({ channel: nord.id, scope: 'all' });
});
