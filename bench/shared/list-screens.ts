import { TOKEN_HEADER } from '@pressel/contract/call';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { type Browser, chromium, type Page } from 'playwright';
import type { LargeTeam, TeamSize } from './large-team.ts';
import { type Question, questions } from './list-calls.ts';
import { percentile, round, type Verdict } from './report.ts';

/** From the act to the new rows, a screen may take this many times what a bare page with the same rows takes. */
const LIMIT_TIMES = 5;
/** The field waits this long for the typing to pause (web/src/shared/lists/lists.queries.ts). */
const TYPING_PAUSE_MS = 150;
/** The most that a screen of a list may load, code and fonts included, when nothing of it is cached. */
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
  size: TeamSize,
  rounds: number,
): Promise<{ figures: Record<string, unknown>; verdicts: Verdict[] }> {
  const browser = await chromium.launch(launchOptions);
  const figures: Record<string, unknown> = {};
  const verdicts: Verdict[] = [];
  try {
    for (const screen of SCREENS) {
      const { page, bytes } = await openFresh(browser, team, screen);
      const bare = await openBare(browser, team, screen, questions(size));
      const acts = await measureActs(page, bare, screen, rounds);
      figures[screen.name] = { firstLoadKb: round(bytes / 1000), ...acts };
      console.log(screen.name, JSON.stringify(figures[screen.name]));
      verdicts.push({
        what: `${screen.name}: loaded for the first screen`,
        value: bytes / 1000,
        limit: LIMIT_FIRST_LOAD_KB,
        unit: 'kB',
      });
      for (const [act, { p50, bareP50 }] of Object.entries(acts)) {
        const pause = act === 'filter' ? TYPING_PAUSE_MS : 0;
        verdicts.push({
          what: `${screen.name}: ${act} in the browser, median, beside a bare page`,
          value: (p50 - pause) / bareP50,
          limit: LIMIT_TIMES,
          unit: 'times',
        });
      }
      for (const one of [page, bare]) await one.context().close();
    }
  } finally {
    await browser.close();
  }
  return { figures, verdicts };
}

/** Takes a new browser's first look at a list. @returns the page, and how many bytes came over the network until its rows stood */
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

/** The acts of a screen, each with the question that it asks. */
const actsOn = (page: Page, screen: Screen) => {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  return {
    next: { question: 'first page', act: () => button('Next page').click() },
    end: { question: 'a deep page', act: () => button('Last page').click() },
    sort: {
      question: screen.name === 'users' ? 'by pseudo, descending' : 'by members',
      act: () => page.getByRole('columnheader', { name: screen.header }).getByRole('button').click(),
    },
    filter: { question: 'filtered by a name', act: () => page.getByRole('searchbox').fill(screen.filter) },
  };
};

/**
 * A page without any library. It has a button for each question of a screen. The button asks it of the same server, and puts each value of
 * the answer into a cell of a table: every list must do that much.
 */
async function openBare(browser: Browser, team: LargeTeam, screen: Screen, all: readonly Question[]): Promise<Page> {
  const context = await browser.newContext({
    ...WITHOUT_WORKER,
    baseURL: team.origin,
    bypassCSP: true,
    viewport: { width: 1600, height: 1200 },
  });
  const page = await context.newPage();
  await page.route('**/bare', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><main>' }));
  await page.goto('/bare');
  const asked = all
    .filter(({ name }) => name.startsWith(`${screen.name}: `))
    .map(({ name, request }) => ({ name: name.slice(screen.name.length + 2), ...request }));
  await page.evaluate(
    ({ asked, header, token }) => {
      const table = document.createElement('table');
      const body = table.createTBody();
      const show = async (path: string, question: string) => {
        const headers = { 'content-type': 'application/json', [header]: token };
        const response = await fetch(path, { method: 'POST', headers, body: question });
        const { res }: { res: Record<string, unknown>[] } = await response.json();
        body.replaceChildren();
        for (const row of res) {
          const cells = body.insertRow();
          for (const value of Object.values(row)) cells.insertCell().textContent = String(value);
        }
      };
      for (const { name, path, body: question } of asked) {
        const button = document.createElement('button');
        button.textContent = name;
        button.addEventListener('click', () => void show(path, question));
        document.body.append(button);
      }
      document.body.append(table);
    },
    { asked, header: TOKEN_HEADER, token: team.admin.token },
  );
  return page;
}

/**
 * Each turn opens the screen anew, because a page would show again what it has in memory. The bare page asks the same right after, so that
 * the machine's other work meets both.
 */
async function measureActs(page: Page, bare: Page, screen: Screen, rounds: number) {
  const times = Object.entries(actsOn(page, screen)).map(([name, act]) => ({
    ...{ name, ...act },
    ours: [] as number[],
    bares: [] as number[],
  }));
  for (let turn = 0; turn < rounds; turn += 1) {
    await page.goto(screen.path);
    await page.locator('tbody tr').first().waitFor();
    await page.waitForLoadState('networkidle');
    for (const { question, act, ours, bares } of times) {
      ours.push(await untilRowsChange(page, act));
      const button = bare.getByRole('button', { name: question, exact: true });
      bares.push(await untilRowsChange(bare, () => button.click()));
    }
  }
  return Object.fromEntries(
    times.map(({ name, question, ours, bares }) => {
      const at = (values: readonly number[], share: number) => round(percentile(values, share));
      const figures = { p50: at(ours, 0.5), p95: at(ours, 0.95), bareP50: at(bares, 0.5), bareP95: at(bares, 0.95) };
      return [name, { question, ...figures }];
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
