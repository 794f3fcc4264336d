import { createApi } from '@pressel/e2e/harness/api';
import { launchOptions } from '@pressel/e2e/harness/browser';
import { setSounding, takeHeard } from '@pressel/e2e/harness/page-audio';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { onset } from '@pressel/e2e/harness/voice-signal';
import { chromium, type Page } from 'playwright';
import { openBarePair } from '../shared/bare-pair.ts';
import { measureLateEntry } from '../shared/late-entry.ts';
import {
  CLIP_RESOLUTION_MS,
  enterRoom,
  figuresOf,
  HOLD_MS,
  newContext,
  newPresses,
  note,
  pause,
  prepareToPress,
  pressOnce,
  REST_MS,
  timeOf,
} from '../shared/presses.ts';
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

const server = await startPressel();
const api = createApi(server.origin);
const admin = await api.person('Camille');
const people = [await api.person('Lea', admin.token), await api.person('Tom', admin.token)] as const;
const late = await api.person('Zoe', admin.token);
const channel = await api.channel(admin, 'Bench', [...people, late]);
const browser = await chromium.launch(launchOptions);
try {
  const [talker, listener] = (await Promise.all(
    people.map(async ({ token }) => enterRoom(await newContext(browser, server.origin, token), channel.rtcSession)),
  )) as [Page, Page];
  const bare = await (await newContext(browser, server.origin)).newPage();
  await bare.goto('/healthz');
  await openBarePair(bare);

  await prepareToPress(talker);
  const product = newPresses();
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
    note(product, await pressOnce(talker, listener));
  }

  await listener.close();
  const newcomer = await newContext(browser, server.origin, late.token);
  const entries = await measureLateEntry({ talker, newcomer, bare, channel }, ENTRIES);
  const entered = (values: readonly number[]) => values.filter((ms) => !Number.isNaN(ms));

  const table = {
    'bare pair, said to heard': figuresOf(bareDelay),
    'product, press to ear': figuresOf(product.pressToEar),
    'product, press to grant shown': figuresOf(product.grant),
    'product, clipped after the press': figuresOf(product.clipped),
    'product, clipped after the grant': figuresOf(product.clippedAfterGrant),
    'product, release to last sound': figuresOf(product.tail),
    'late entry, bare pair set up': figuresOf(entered(entries.bare)),
    'late entry, click to first sound': figuresOf(entered(entries.byClick)),
    'late entry, address to first sound': figuresOf(entered(entries.byAddress)),
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
