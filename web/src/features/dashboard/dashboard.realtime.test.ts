import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { bindDashboard, DASHBOARD_KEY } from './dashboard.realtime.ts';

const NEWS = { spec: 1, audit: 0 };

/** A page whose figures are the number of the question; `now` in ms since it began. */
function openPage(now: number) {
  const queries = new QueryClient();
  const realtime = createRealtimeDouble();
  const stop = bindDashboard(realtime, queries, () => now);
  let asked = 0;
  const show = () =>
    new QueryObserver(queries, {
      queryKey: [...DASHBOARD_KEY, 'Europe/Paris'],
      queryFn: () => {
        asked += 1;
        return asked;
      },
    }).subscribe(() => undefined);
  const shown = () => queries.getQueryData([...DASHBOARD_KEY, 'Europe/Paris']);
  return { realtime, show, shown, stop };
}

test('[DASH10] figures are read again when somebody came before anything showed them', async () => {
  const page = openPage(400);
  page.realtime.tell('activities_added', NEWS);
  const hide = page.show();
  await vi.waitFor(() => expect(page.shown()).toBe(2));
  hide();
  page.stop();
});

test('[DASH10] figures that are shown are read again by news', async () => {
  const page = openPage(400);
  const hide = page.show();
  await vi.waitFor(() => expect(page.shown()).toBe(1));
  page.realtime.tell('activities_added', NEWS);
  await vi.waitFor(() => expect(page.shown()).toBe(2));
  hide();
  page.stop();
});

test('[DASH10] later news before figures are shown cost no second reading', async () => {
  const page = openPage(60_000);
  page.realtime.tell('activities_added', NEWS);
  const hide = page.show();
  await vi.waitFor(() => expect(page.shown()).toBe(1));
  page.realtime.tell('activities_added', NEWS);
  // One reading for the news alone: the first would have brought it to three.
  await vi.waitFor(() => expect(page.shown()).toBe(2));
  hide();
  page.stop();
});
