import { getAllActivities } from '@pressel/contract/activities';
import { type Dashboard, getDashboard } from '@pressel/contract/dashboard';
import { channelId, userId } from '@pressel/contract/ids';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { dashboardOf, memberDashboardOf, trendOf } from '#test/dashboard-sample.ts';
import { renderApp } from '#test/render-app.tsx';
import { sampleId, sessionUserOf } from '#test/samples.ts';

const NORD = { id: channelId.parse(sampleId(1)), name: 'Équipe Nord', rtcSession: 'ÉquipeNord' };
/** The figures are read every two seconds at most. */
const SOON = { timeout: 10_000 };
const OVER = `firstSteps.${sessionUserOf().id}`;
const NOE = userId.parse(sampleId(11));

const entry = (type: 'channel_join' | 'channel_talk', by = sessionUserOf().id) => ({
  id: sampleId(90),
  createdAt: '2026-11-20T10:00:00.000Z',
  type,
  user: { id: by, firstName: 'Noé', display_name: 'Noé' },
  target: null,
  channel: null,
  address: null,
  details: null,
});

/** The server's data, which may change while they are shown. */
interface Known {
  figures: Dashboard;
  log: ReturnType<typeof entry>[];
}

async function open(known: Known) {
  const app = await renderApp({
    at: '/dashboard',
    signedIn: { role: known.figures.role },
    prepare(api) {
      api.on(getDashboard, () => ({ success: true, res: known.figures }));
      api.on(getAllActivities, ({ types }) => {
        expect(types).toEqual(['channel_join', 'channel_talk']);
        return {
          success: true,
          res: { activities: known.log, totalRecords: known.log.length, newer: 0, top: null, older: null },
        };
      });
    },
  });
  await screen.findByRole('heading', { level: 1, name: /Camille/u });
  return app;
}
const steps = () => screen.findByRole('region', { name: 'Premiers pas' });
const done = (card: HTMLElement) =>
  within(card)
    .getAllByRole('listitem')
    .map((item) => within(item).queryByRole('img', { name: 'Fait' }) !== null);
const team = (over: Partial<Extract<Dashboard, { role: 'admin' }>> = {}) =>
  dashboardOf({
    users: trendOf(2),
    channels: trendOf(1),
    topChannels: [{ ...NORD, userCount: 2, connected: 0, lastActivityAt: null }],
    ...over,
  });

test('[DASH13] a new server says what to do first, and leads there', async () => {
  const { user } = await open({ figures: dashboardOf({}), log: [] });
  const card = await steps();
  expect(within(card).getByText('0 sur 4')).toBeVisible();
  expect(done(card)).toEqual([false, false, false, false]);
  // There is no channel to enter yet.
  expect(within(card).queryByRole('link', { name: 'Entrer' })).toBeNull();
  await user.click(within(card).getByRole('button', { name: 'Créer le premier canal' }));
  expect(await screen.findByRole('dialog', { name: 'Nouveau canal' })).toBeVisible();
});

test('[DASH13] steps are ticked as they are done; the last one is done when somebody else talks', async () => {
  const known: Known = { figures: team(), log: [] };
  const { realtime } = await open(known);
  expect(done(await steps())).toEqual([true, true, false, false]);
  expect(within(await steps()).getByRole('link', { name: 'Entrer' })).toHaveAttribute(
    'href',
    `/groupCallView/${encodeURIComponent(NORD.rtcSession)}`,
  );
  const log = (...entries: Known['log']) => {
    known.log = entries;
    const newest = { ...entry('channel_talk'), id: sampleId(100 + entries.length) };
    known.figures = team({ lastActivities: [newest] as never });
    realtime.tell('activities_added', { spec: 1, audit: 0 });
  };
  log(entry('channel_join'));
  await waitFor(async () => expect(done(await steps())).toEqual([true, true, true, false]), SOON);
  log(entry('channel_talk', NOE), entry('channel_talk'), entry('channel_join'));
  await waitFor(async () => expect(done(await steps())).toEqual([true, true, true, true]), SOON);
  // The user who does the last step sees it done.
  expect(window.localStorage.getItem(OVER)).toBeNull();
});

test('[DASH13] oneself talking alone is no second device', async () => {
  await open({ figures: team(), log: [entry('channel_talk'), entry('channel_join')] });
  expect(done(await steps())).toEqual([true, true, true, false]);
});

test('[DASH13] where all is done already they are not shown, and not asked about again', async () => {
  const known: Known = { figures: team(), log: [entry('channel_talk', NOE), entry('channel_join')] };
  const { api } = await open(known);
  await waitFor(() => expect(window.localStorage.getItem(OVER)).toBe('"over"'));
  expect(screen.queryByRole('region', { name: 'Premiers pas' })).toBeNull();
  expect(api.inputs(getAllActivities)).toHaveLength(1);
});

test('[DASH13] dismissed they stay away', async () => {
  const { user, router } = await open({ figures: dashboardOf({}), log: [] });
  await user.click(within(await steps()).getByRole('button', { name: 'Ne plus afficher' }));
  expect(screen.queryByRole('region', { name: 'Premiers pas' })).toBeNull();
  await router.navigate({ to: '/profile' });
  await router.navigate({ to: '/dashboard' });
  await screen.findByRole('region', { name: 'En direct' });
  expect(screen.queryByRole('region', { name: 'Premiers pas' })).toBeNull();
});

test('[DASH13] a member has no first steps', async () => {
  const { api } = await open({ figures: memberDashboardOf({}), log: [] });
  await screen.findByRole('region', { name: 'En direct' });
  expect(api.inputs(getAllActivities)).toEqual([]);
});
