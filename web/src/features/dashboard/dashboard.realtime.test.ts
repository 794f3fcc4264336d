import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { bindDashboard, DASHBOARD_KEY } from './dashboard.realtime.ts';

/** A page whose figures are the number of the question; `now` in ms since it began. */
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
    /** What is shown when no question is under way. */
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
