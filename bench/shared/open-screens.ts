import { setTimeout as pause } from 'node:timers/promises';
import { getAllUsers } from '@pressel/contract/users';
import { createApi } from '@pressel/e2e/harness/api';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { type Browser, type BrowserContext, type CDPSession, chromium } from 'playwright';
import { median, round } from './report.ts';

/** A screen as somebody opens it for the first time: nothing is cached. */
export interface OpenScreen {
  name: 'sign-in' | 'users' | 'room';
  path: string;
  /** A selector that the page has as soon as its content is there. */
  content: string;
  isSignedIn: boolean;
  /** How much JavaScript it may load before its content stands, as sent (brotli), in kB. */
  scriptMaxKb: number;
}

/** kB of bodies as sent: 1 kB is 1,000 bytes. */
export interface ScreenBytes {
  scriptKb: number;
  /** JavaScript that was requested after the content stood: for screens that may be opened next. */
  laterScriptKb: number;
  styleKb: number;
  fontKb: number;
  otherKb: number;
  files: number;
  /** How many requests in a row came before the content: each began only when the one before had ended. */
  steps: number;
}

interface LoadedFile {
  kind: string;
  begun: number;
  ended: number;
  bytes: number;
}

/** Slow enough that the work between two requests doesn't blur which one waited for which. */
const STEP_LATENCY_MS = 400;
/** By then everything is there that is loaded after the content stood. */
const LATER_MS = 5_000;
/** How long the people of the load before may still be in their room: they are taken out after some 20 s. */
const EMPTY_MS = 60_000;
/** The mobile profile of Lighthouse: https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md */
const MOBILE = { latency: 150, bytesPerSecond: 1_638_400 / 8, cpuRate: 4 };

/** Measures how much a screen loads before its content stands, and in how many steps. */
export async function measureBytes(origin: string, token: string, screen: OpenScreen): Promise<ScreenBytes> {
  return onFreshPage(origin, token, screen, async (context, network) => {
    const files = watchFiles(network);
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: STEP_LATENCY_MS,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    const shownAt = await openUntilShown(context, screen);
    // The page loads ahead a second after the content, and when it has nothing else to do.
    await onlyPage(context).waitForTimeout(LATER_MS);
    const loaded = [...files.values()].filter(({ ended }) => !Number.isNaN(ended));
    const sum = (some: readonly LoadedFile[]) => round(some.reduce((all, { bytes }) => all + bytes, 0) / 1000);
    const before = loaded.filter(({ begun }) => begun <= shownAt);
    const kb = (wanted: (kind: string) => boolean) => sum(before.filter(({ kind }) => wanted(kind)));
    return {
      scriptKb: kb((kind) => kind === 'Script'),
      laterScriptKb: sum(loaded.filter(({ kind, begun }) => kind === 'Script' && begun > shownAt)),
      styleKb: kb((kind) => kind === 'Stylesheet'),
      fontKb: kb((kind) => kind === 'Font'),
      otherKb: kb((kind) => !['Script', 'Stylesheet', 'Font'].includes(kind)),
      files: before.length,
      steps: stepsBefore(loaded, shownAt),
    };
  });
}

/** Median of `turns` loads on Lighthouse's mobile link and processor, ms from the navigation. */
export async function measureContent(origin: string, token: string, screen: OpenScreen, turns: number) {
  const first: number[] = [];
  const content: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const times = await onFreshPage(origin, token, screen, async (context, network) => {
      await network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: MOBILE.latency,
        downloadThroughput: MOBILE.bytesPerSecond,
        uploadThroughput: MOBILE.bytesPerSecond,
      });
      await network.send('Emulation.setCPUThrottlingRate', { rate: MOBILE.cpuRate });
      return { content: await openUntilShown(context, screen), first: await firstPaint(context) };
    });
    content.push(times.content);
    first.push(times.first);
  }
  return { firstPaintMs: Math.round(median(first)), contentMs: Math.round(median(content)) };
}

/**
 * Waits until nobody is in a room. The page before is still there for some seconds: the next one would connect to it,
 * draw its tile, and take it away in the middle of the measurement.
 * @throws Error when somebody is still there after a minute
 */
export async function untilRoomsAreEmpty(origin: string, token: string): Promise<void> {
  const { call } = createApi(origin);
  const until = Date.now() + EMPTY_MS;
  for (;;) {
    const { connected } = await call(getAllUsers, { start: 0, limit: 1 }, token);
    if (connected === 0) return;
    if (Date.now() > until) throw new Error(`${connected} people are still in rooms after ${EMPTY_MS / 1000} s`);
    await pause(500);
  }
}

async function onFreshPage<T>(
  origin: string,
  token: string,
  screen: OpenScreen,
  measure: (context: BrowserContext, network: CDPSession) => Promise<T>,
): Promise<T> {
  await untilRoomsAreEmpty(origin, token);
  const browser: Browser = await chromium.launch(launchOptions);
  try {
    const context = await browser.newContext({
      ...WITHOUT_WORKER,
      baseURL: origin,
      viewport: { width: 412, height: 823 },
    });
    await context.addInitScript(
      ({ token, content }) => {
        if (token !== null) sessionStorage.setItem('TOKEN_KEY', token);
        const page = window as unknown as { shownAt?: number };
        const look = () => {
          if (document.querySelector(content) === null) requestAnimationFrame(look);
          else page.shownAt = performance.now();
        };
        requestAnimationFrame(look);
      },
      { token: screen.isSignedIn ? token : null, content: screen.content },
    );
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    return await measure(context, network);
  } finally {
    await browser.close();
  }
}

const onlyPage = (context: BrowserContext) => {
  const [page] = context.pages();
  if (page === undefined) throw new Error('The page is gone');
  return page;
};

/** @returns ms from the navigation until the content stood */
async function openUntilShown(context: BrowserContext, screen: OpenScreen): Promise<number> {
  const page = onlyPage(context);
  await page.goto(screen.path);
  await page.locator(screen.content).first().waitFor();
  await page.waitForLoadState('networkidle');
  // This banner is larger than all content, and moves it. It means that the bench's server has another contract.
  if ((await page.locator('[data-apart]').count()) > 0)
    throw new Error(`${screen.name} says that its server is another`);
  return page.evaluate(() => (window as unknown as { shownAt: number }).shownAt);
}

const firstPaint = (context: BrowserContext): Promise<number> =>
  onlyPage(context).evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN);

/** Everything that comes over the network, times in ms from the navigation. Web sockets aren't files. */
function watchFiles(network: CDPSession): Map<string, LoadedFile> {
  const files = new Map<string, LoadedFile>();
  let origin = Number.NaN;
  network.on('Network.requestWillBeSent', ({ requestId, timestamp, type, request }) => {
    if (Number.isNaN(origin)) origin = timestamp;
    if (!request.url.startsWith('http')) return;
    files.set(requestId, {
      kind: type ?? 'Other',
      begun: (timestamp - origin) * 1000,
      ended: Number.NaN,
      bytes: 0,
    });
  });
  network.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const file = files.get(requestId);
    if (file) file.bytes += encodedDataLength;
  });
  network.on('Network.loadingFinished', ({ requestId, timestamp }) => {
    const file = files.get(requestId);
    if (file) file.ended = (timestamp - origin) * 1000;
  });
  return files;
}

/** The longest row of requests, each of which began after the end of the one before. */
function stepsBefore(files: readonly LoadedFile[], shownAt: number): number {
  const rows: { ended: number; step: number }[] = [];
  for (const { begun, ended } of files.toSorted((a, b) => a.begun - b.begun)) {
    if (ended > shownAt) continue;
    rows.push({ ended, step: 1 + Math.max(0, ...rows.filter((one) => one.ended <= begun).map(({ step }) => step)) });
  }
  return Math.max(0, ...rows.map(({ step }) => step));
}
