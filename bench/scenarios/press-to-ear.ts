import { createApi } from '@pressel/e2e/harness/api';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { giveVoiceAndEar, mouthEpoch, type Recording, setSounding, takeHeard } from '@pressel/e2e/harness/page-audio';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { lastSound, onset, placeInSweep, SAMPLE_RATE } from '@pressel/e2e/harness/voice-signal';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { openBarePair } from '../shared/bare-pair.ts';
import { measureLateEntry } from '../shared/late-entry.ts';
import { conclude, median, percentile, round } from '../shared/report.ts';

/**
 * From the press to the ear: through the product (two people in a room, their real browsers and the real server)
 * and through one bare peer connection whose track is always on, press by press in turn. The bare pair's delay is
 * what audio costs in this browser on this machine; the product's may be at most LIMIT_RATIO times that.
 * Then late entry: from the click on a channel, and from its address, to the first sound of a talk that runs already.
 * Fewer presses, fewer entries: `npm run bench -- press-to-ear 60 12`.
 */
const PRESSES = Number(process.argv[2] ?? 60);
const ENTRIES = Number(process.argv[3] ?? 15);
/** 3GPP TS 22.179, KPI 4. */
const LIMIT_LATE_ENTRY_MS = 350;
const LIMIT_RATIO = 1.25;
const LIMIT_P95_MS = 300;
/** The pitch of a window is known to about this. */
const CLIP_RESOLUTION_MS = 5;
const HOLD_MS = 350;
const REST_MS = 450;

interface Press {
  /** Date.now() of the input event. */
  pressedAt: number;
  /** Date.now() when the button showed that the floor was granted. */
  grantedAt: number;
  releasedAt: number;
}
interface Figures {
  pressToEar: number[];
  clipped: number[];
  clippedAfterGrant: number[];
  grant: number[];
  tail: number[];
  unheard: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function newContext(
  browser: Awaited<ReturnType<typeof chromium.launch>>,
  baseURL: string,
  token = '',
): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...WITHOUT_WORKER,
    baseURL,
    bypassCSP: true,
    permissions: ['microphone'],
  });
  await giveVoiceAndEar(context, 'up');
  if (token !== '') await context.addInitScript((value) => sessionStorage.setItem('TOKEN_KEY', value), token);
  return context;
}

/** Marks presses and grants on the clock that all pages share. */
function watchPresses(): void {
  // performance.now() and Date.now() are brought together at a tick of the latter.
  const start = Date.now();
  let tick = Date.now();
  while (tick === start) tick = Date.now();
  const offset = tick - performance.now();
  const presses: { pressedAt: number; grantedAt: number; releasedAt: number }[] = [];
  addEventListener(
    'pointerdown',
    ({ timeStamp }) => presses.push({ pressedAt: timeStamp + offset, grantedAt: Number.NaN, releasedAt: Number.NaN }),
    { capture: true },
  );
  addEventListener(
    'pointerup',
    ({ timeStamp }) => {
      const press = presses.at(-1);
      if (press) press.releasedAt = timeStamp + offset;
    },
    { capture: true },
  );
  const button = document.querySelector('[data-talk-button]');
  if (button === null) throw new Error('There is no talk button');
  new MutationObserver(() => {
    const press = presses.at(-1);
    if (button.getAttribute('data-state') === 'talking' && press && Number.isNaN(press.grantedAt)) {
      press.grantedAt = performance.now() + offset;
    }
  }).observe(button, { attributes: true, attributeFilter: ['data-state'] });
  Object.assign(window, { presses });
}

async function pressOnce(talker: Page, listener: Page): Promise<{ press: Press; heard: Recording }> {
  await takeHeard(listener);
  await pause(REST_MS);
  await talker.mouse.down();
  await pause(HOLD_MS);
  await talker.mouse.up();
  await pause(REST_MS);
  const press = await talker.evaluate(() => (window as unknown as { presses: Press[] }).presses.at(-1));
  const heard = (await takeHeard(listener)).find((recording) => !recording.isEnded);
  if (press === undefined || heard === undefined) throw new Error('The press or the ear is missing');
  return { press, heard };
}

/** Time at the ear of a sample. */
const timeOf = (heard: Recording, index: number): number => heard.startedAt + (index / SAMPLE_RATE) * 1000;

/** Difference of two places in a sweep of one second, -500 to 500 ms. */
const apart = (a: number, b: number): number => ((((a - b) % 1000) + 1500) % 1000) - 500;

function note(figures: Figures, { press, heard }: { press: Press; heard: Recording }, mouth: number): void {
  const first = onset(heard.samples);
  if (first === -1) {
    figures.unheard += 1;
    return;
  }
  if (timeOf(heard, first) < press.pressedAt) return; // not preceded by silence
  figures.pressToEar.push(timeOf(heard, first) - press.pressedAt);
  figures.grant.push(press.grantedAt - press.pressedAt);
  figures.tail.push(timeOf(heard, lastSound(heard.samples)) - press.releasedAt);
  const place = placeInSweep(heard.samples, first);
  if (place === null) return;
  figures.clipped.push(apart(place, (press.pressedAt - mouth) % 1000));
  figures.clippedAfterGrant.push(apart(place, (press.grantedAt - mouth) % 1000));
}

const server = await startPressel();
const api = createApi(server.origin);
const admin = await api.person('Camille');
const people = [await api.person('Lea', admin.token), await api.person('Tom', admin.token)] as const;
const late = await api.person('Zoe', admin.token);
const channel = await api.channel(admin, 'Bench', [...people, late]);
const browser = await chromium.launch(launchOptions);
try {
  const [talker, listener] = (await Promise.all(
    people.map(async ({ token }) => {
      const context = await newContext(browser, server.origin, token);
      const page = await context.newPage();
      await page.goto(`/groupCallView/${channel.rtcSession}`);
      await page.locator('[data-tile][data-presence=connected]').waitFor();
      return page;
    }),
  )) as [Page, Page];
  const bare = await (await newContext(browser, server.origin)).newPage();
  await bare.goto('/healthz');
  await openBarePair(bare);

  await talker.evaluate(watchPresses);
  await talker.locator('[data-talk-button]').hover();
  const product: Figures = { pressToEar: [], clipped: [], clippedAfterGrant: [], grant: [], tail: [], unheard: 0 };
  const bareDelay: number[] = [];
  for (let index = 0; index < PRESSES; index += 1) {
    await bare.bringToFront();
    await setSounding(bare, false);
    await takeHeard(bare);
    await pause(REST_MS);
    const saidAt = await setSounding(bare, true);
    await pause(HOLD_MS);
    const [heard] = await takeHeard(bare);
    const first = heard === undefined ? -1 : onset(heard.samples);
    if (heard !== undefined && first !== -1) bareDelay.push(timeOf(heard, first) - saidAt);
    await setSounding(bare, false);

    await talker.bringToFront();
    const result = await pressOnce(talker, listener);
    note(product, result, (await mouthEpoch(talker)) ?? 0);
  }

  await listener.close();
  const newcomer = await newContext(browser, server.origin, late.token);
  const entries = await measureLateEntry({ talker, newcomer, bare, channel }, ENTRIES);
  const entered = (values: readonly number[]) => values.filter((ms) => !Number.isNaN(ms));

  const figures = (values: readonly number[]) => ({
    n: values.length,
    median: round(median(values)),
    p95: round(percentile(values, 0.95)),
    max: round(Math.max(...values)),
  });
  const table = {
    'bare pair, said to heard': figures(bareDelay),
    'product, press to ear': figures(product.pressToEar),
    'product, press to grant shown': figures(product.grant),
    'product, clipped after the press': figures(product.clipped),
    'product, clipped after the grant': figures(product.clippedAfterGrant),
    'product, release to last sound': figures(product.tail),
    'late entry, bare pair set up': figures(entered(entries.bare)),
    'late entry, click to first sound': figures(entered(entries.byClick)),
    'late entry, address to first sound': figures(entered(entries.byAddress)),
  };
  console.table(table);
  const ratio = median(product.pressToEar) / median(bareDelay);
  const ratioP95 = percentile(product.pressToEar, 0.95) / percentile(bareDelay, 0.95);
  console.log(
    `ratio product / bare: median ${round(ratio)}, p95 ${round(ratioP95)}; unheard presses: ${product.unheard}`,
  );
  conclude(
    'press-to-ear',
    { unit: 'ms', presses: PRESSES, figures: table, ratio: round(ratio), ratioP95: round(ratioP95) },
    [
      { what: 'median, product / bare pair', value: ratio, limit: LIMIT_RATIO, unit: 'times' },
      { what: 'press to ear, p95', value: percentile(product.pressToEar, 0.95), limit: LIMIT_P95_MS, unit: 'ms' },
      {
        what: 'clipped after the grant, worst',
        value: Math.max(0, ...product.clippedAfterGrant.map((ms) => ms - CLIP_RESOLUTION_MS)),
        limit: 0,
        unit: 'ms',
      },
      {
        what: 'late entry by a click, median',
        value: median(entered(entries.byClick)),
        limit: LIMIT_LATE_ENTRY_MS,
        unit: 'ms',
      },
      {
        what: 'late entries not heard',
        value: [...entries.byClick, ...entries.byAddress].filter(Number.isNaN).length,
        limit: 0,
        unit: '',
      },
      { what: 'presses not heard', value: product.unheard, limit: 0, unit: '' },
      { what: 'presses measured short of 50', value: Math.max(0, 50 - product.pressToEar.length), limit: 0, unit: '' },
    ],
  );
} finally {
  await browser.close();
  await server.dispose();
}
