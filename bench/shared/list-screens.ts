import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { type Browser, chromium, type Page } from 'playwright';
import type { LargeTeam } from './large-team.ts';
import { percentile, round, type Verdict } from './report.ts';

/** What a screen may take from the act to the new rows on it, beyond what the call itself takes over HTTP. */
const LIMIT_BEYOND_CALL_MS = 150;
/** The field waits so long for the typing to pause (web/src/shared/lists/lists.queries.ts). */
const TYPING_PAUSE_MS = 150;
/** All that a screen of a list may load, code and fonts included, when nothing of it is cached. */
const LIMIT_FIRST_LOAD_KB = 700;

interface Screen {
  name: 'users' | 'channels';
  path: string;
  /** Headers to click for another order, in English. */
  header: RegExp;
  filter: string;
}

const SCREENS: readonly Screen[] = [
  { name: 'users', path: '/usersList?size=25', header: /^Pseudo/u, filter: 'garcon 1' },
  { name: 'channels', path: '/channelsList?size=25', header: /members/iu, filter: 'canal 12' },
];

/** The lists as somebody uses them in a browser: opening, turning pages, sorting, filtering, going to the end. */
export async function measureListScreens(
  team: LargeTeam,
  rounds: number,
  callP95: (question: string) => number,
): Promise<{ figures: Record<string, unknown>; verdicts: Verdict[] }> {
  const browser = await chromium.launch(launchOptions);
  const figures: Record<string, unknown> = {};
  const verdicts: Verdict[] = [];
  try {
    for (const screen of SCREENS) {
      const { page, bytes } = await openFresh(browser, team, screen);
      const acts = await measureActs(page, screen, rounds);
      figures[screen.name] = { firstLoadKb: round(bytes / 1000), ...acts };
      console.log(screen.name, JSON.stringify(figures[screen.name]));
      verdicts.push({
        what: `${screen.name}: loaded for the first screen`,
        value: bytes / 1000,
        limit: LIMIT_FIRST_LOAD_KB,
        unit: 'kB',
      });
      for (const [act, { question, p95 }] of Object.entries(acts)) {
        const pause = act === 'filter' ? TYPING_PAUSE_MS : 0;
        verdicts.push({
          what: `${screen.name}: ${act} in the browser, p95 beyond the call`,
          value: p95 - pause - callP95(`${screen.name}: ${question}`),
          limit: LIMIT_BEYOND_CALL_MS,
          unit: 'ms',
        });
      }
      await page.context().close();
    }
  } finally {
    await browser.close();
  }
  return { figures, verdicts };
}

/** A new browser's first look at a list. @returns the page, and how many bytes came over the network until its rows stood */
async function openFresh(browser: Browser, team: LargeTeam, screen: Screen): Promise<{ page: Page; bytes: number }> {
  const context = await browser.newContext({
    ...WITHOUT_WORKER,
    baseURL: team.origin,
    viewport: { width: 1600, height: 1200 },
  });
  await context.addInitScript((token) => {
    sessionStorage.setItem('TOKEN_KEY', token);
    localStorage.setItem('language', '"en"');
  }, team.admin.token);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(screen.path);
  await page.locator('tbody tr').first().waitFor();
  await page.waitForLoadState('networkidle');
  return { page, bytes };
}

/** Each turn opens the screen anew: what a page showed before would come from its memory. */
async function measureActs(page: Page, screen: Screen, rounds: number) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const acts = {
    next: { question: 'first page', act: () => button('Next page').click() },
    end: { question: 'a deep page', act: () => button('Last page').click() },
    sort: {
      question: screen.name === 'users' ? 'by pseudo, descending' : 'by members',
      act: () => page.getByRole('columnheader', { name: screen.header }).getByRole('button').click(),
    },
    filter: { question: 'filtered by a name', act: () => page.getByRole('searchbox').fill(screen.filter) },
  };
  const times: Record<string, number[]> = {};
  for (let turn = 0; turn < rounds; turn += 1) {
    await page.goto(screen.path);
    await page.locator('tbody tr').first().waitFor();
    await page.waitForLoadState('networkidle');
    for (const [name, { act }] of Object.entries(acts)) {
      const list = times[name] ?? [];
      times[name] = [...list, await untilRowsChange(page, act)];
    }
  }
  return Object.fromEntries(
    Object.entries(acts).map(([name, { question }]) => {
      const found = times[name] ?? [];
      return [name, { question, p50: round(percentile(found, 0.5)), p95: round(percentile(found, 0.95)) }];
    }),
  );
}

/** From the act until other rows are on screen and none are on their way, as the page's own clock sees it, ms. */
async function untilRowsChange(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const text = () => document.querySelector('tbody')?.textContent;
    const before = text();
    const bench = window as unknown as { begun: number; shown: Promise<number> };
    bench.begun = Number.NaN;
    const begin = () => {
      if (Number.isNaN(bench.begun)) bench.begun = performance.now();
    };
    for (const event of ['pointerdown', 'input']) window.addEventListener(event, begin, { capture: true, once: true });
    bench.shown = new Promise((resolve) => {
      const look = () => {
        const isStale = document.querySelector('table[aria-busy]') !== null;
        if (text() === before || isStale) requestAnimationFrame(look);
        else requestAnimationFrame(() => resolve(performance.now() - bench.begun));
      };
      look();
    });
  });
  await act();
  return page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown);
}
