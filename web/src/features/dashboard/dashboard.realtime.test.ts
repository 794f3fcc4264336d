import { channelId, userId } from '@pressel/contract/ids';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';
import { messageOf, newsOf } from '#test/chat-bench.ts';
import { dashboardOf, memberDashboardOf } from '#test/dashboard-sample.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { bindDashboard, DASHBOARD_KEY } from './dashboard.realtime.ts';

/** Opens a page whose figures are the number of the request; `now` in ms since it began. */
function openPage(now: number) {
  const queries = new QueryClient();
  const realtime = createRealtimeDouble();
  let asked = 0;
  const stops = [bindDashboard(realtime, queries, () => now)];
  onTestFinished(() => {
    for (const stop of stops) stop();
  });
  return {
    happen: () => realtime.tell('activities_added', { spec: 1, audit: 0 }),
    show() {
      const queryFn = () => {
        asked += 1;
        return asked;
      };
      const figures = new QueryObserver(queries, { queryKey: [...DASHBOARD_KEY, 'Europe/Paris'], queryFn });
      stops.push(figures.subscribe(() => undefined));
    },
    /** Resolves to what is shown when no request is under way. */
    async shown() {
      await vi.waitFor(() => expect([asked > 0, queries.isFetching()]).toEqual([true, 0]));
      return queries.getQueryData([...DASHBOARD_KEY, 'Europe/Paris']);
    },
  };
}

test('[DASH10] figures are read again when somebody came before anything showed them', async () => {
  const page = openPage(400);
  page.happen();
  page.show();
  expect(await page.shown()).toBe(2);
});

test('[DASH10] figures that are shown are read again by news', async () => {
  const page = openPage(400);
  page.show();
  expect(await page.shown()).toBe(1);
  page.happen();
  expect(await page.shown()).toBe(2);
});

test('[DASH10] what happened long before figures are shown costs no second reading', async () => {
  const page = openPage(60_000);
  page.happen();
  page.show();
  expect(await page.shown()).toBe(1);
});

/** Opens somebody's dashboard and counts how often its figures are read; time stands still unless the test moves it. */
async function openFigures(role: 'admin' | 'member') {
  vi.useFakeTimers();
  const queries = new QueryClient();
  const realtime = createRealtimeDouble();
  const queryFn = vi.fn(() => (role === 'admin' ? dashboardOf({}) : memberDashboardOf({})));
  const stops = [bindDashboard(realtime, queries, () => 60_000)];
  const figures = new QueryObserver(queries, { queryKey: [...DASHBOARD_KEY, 'Europe/Paris'], queryFn });
  stops.push(figures.subscribe(() => undefined));
  onTestFinished(() => {
    for (const stop of stops) stop();
    vi.useRealTimers();
  });
  await vi.advanceTimersByTimeAsync(0);
  return {
    realtime,
    async readsAfter(ms: number) {
      await vi.advanceTimersByTimeAsync(ms);
      return queryFn.mock.calls.length;
    },
  };
}
const NORD = channelId.parse(sampleId(1));
const NOE = userId.parse(sampleId(11));
const aMessage = newsOf(messageOf(1, { channelId: NORD, userId: NOE }));

test('[DASH8] a member’s figures are read again for messages, at most every five seconds', async () => {
  const page = await openFigures('member');
  page.realtime.tell('onSendMessage', aMessage);
  expect(await page.readsAfter(0)).toBe(2);
  page.realtime.tell('messages_read', { channelId: NORD, readUpTo: 1, unread: 0 });
  expect(await page.readsAfter(4_999)).toBe(2);
  expect(await page.readsAfter(1)).toBe(3);
});

test('[DASH8] a member’s figures are read again once a talk that ended is in the log', async () => {
  const page = await openFigures('member');
  page.realtime.tell('talkers_changed', { channelId: NORD, talkers: [{ userId: NOE, name: 'Noé' }] });
  expect(await page.readsAfter(5_000)).toBe(1);
  page.realtime.tell('talkers_changed', { channelId: NORD, talkers: [] });
  expect(await page.readsAfter(999)).toBe(1);
  expect(await page.readsAfter(1)).toBe(2);
});

test('[DASH10] administrators learn of messages and talks by the log alone', async () => {
  const page = await openFigures('admin');
  page.realtime.tell('onSendMessage', aMessage);
  page.realtime.tell('talkers_changed', { channelId: NORD, talkers: [] });
  expect(await page.readsAfter(6_000)).toBe(1);
});

test('[DASH10] a hidden page reads nothing, and once for all that it missed when it is shown', async () => {
  const page = await openFigures('admin');
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  page.realtime.tell('activities_added', { spec: 1, audit: 0 });
  expect(await page.readsAfter(10_000)).toBe(1);
  page.realtime.tell('activities_added', { spec: 1, audit: 0 });
  expect(await page.readsAfter(10_000)).toBe(1);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(await page.readsAfter(10_000)).toBe(2);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(await page.readsAfter(10_000)).toBe(2);
});
