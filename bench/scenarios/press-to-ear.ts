import { createApi, type Person } from '@pressel/e2e/harness/api';
import { launchOptions } from '@pressel/e2e/harness/browser';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { openStallingPath } from '@pressel/e2e/harness/stalling-path';
import { chromium, type Page } from 'playwright';
import { openVoicePair } from '../shared/bare-pair.ts';
import {
  addPresses,
  CLIP_RESOLUTION_MS,
  enterRoom,
  figuresOf,
  measured,
  newContext,
  newPresses,
  note,
  type Presses,
  prepareToPress,
  pressOnce,
} from '../shared/presses.ts';
import { conclude, median, percentile, round } from '../shared/report.ts';
import { measureRestarts } from '../shared/restarts.ts';

/**
 * From the press to the ear, press by press in turn. One way is the product: two people in a room, their real browsers and the real server.
 * The others are a bare connection that sends always, and one that pauses as the product does. The better one of these two is what audio
 * costs in this browser on this machine at this time. Each round of presses has one ratio; the middle one is the verdict, and the others
 * tell how far it can be trusted.
 * Then a server that is far away, to which the voice doesn't go: how much is cut from the start of a talk.
 * Then restarts of the server in the middle of a talk: the longest gap that a listener hears.
 * Fewer rounds, presses in each: `npm run bench -- press-to-ear 5 12`.
 */
const ROUNDS = Number(process.argv[2] ?? 5);
const PRESSES = Number(process.argv[3] ?? 12);
/** How far away the server is, each way, in ms. */
const AWAY_MS = [60, 150];
const LIMIT_CUT_MS = 5;
/** Half of the restarts are by kill -9. */
const RESTARTS = 4;
const LIMIT_GAP_MS = 300;
const LIMIT_RATIO = 1;
const LIMIT_P95_MS = 300;

const server = await startPressel();
const paths = await Promise.all(AWAY_MS.map((awayMs) => openStallingPath(server.origin, awayMs)));
const api = createApi(server.origin);
const admin = await api.person('Camille');
const people = [await api.person('Lea', admin.token), await api.person('Tom', admin.token)] as const;
const channel = await api.channel(admin, 'Bench', [...people]);
const browser = await chromium.launch(launchOptions);

/** Two pages, the first of them ready to press. */
type Ends = readonly [talker: Page, listener: Page];

async function openPair(way: 'always' | 'pausing'): Promise<Ends> {
  const open = async () => {
    const page = await (await newContext(browser, server.origin)).newPage();
    await page.goto('/healthz');
    return page;
  };
  const ends = [await open(), await open()] as const;
  await openVoicePair(...ends, way);
  await prepareToPress(ends[0]);
  return ends;
}

async function openRoom(origin: string): Promise<Ends> {
  const enter = async ({ token }: Person) => enterRoom(await newContext(browser, origin, token), channel.rtcSession);
  const ends = (await Promise.all(people.map(enter))) as [Page, Page];
  await prepareToPress(ends[0]);
  return ends;
}

async function press([talker, listener]: Ends, presses: Presses): Promise<void> {
  await talker.bringToFront();
  note(presses, await pressOnce(talker, listener));
}

const closeEnds = (ends: Ends) => Promise.all(ends.map((page) => page.context().close()));

try {
  const sides = [
    { name: 'bare, always', open: () => openPair('always'), all: newPresses(), rounds: [] as number[] },
    { name: 'bare, pausing', open: () => openPair('pausing'), all: newPresses(), rounds: [] as number[] },
    { name: 'product', open: () => openRoom(server.origin), all: newPresses(), rounds: [] as number[] },
  ];
  const ratios: number[] = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    // Each round has new pages: a busy moment lengthens the queues of a page's microphone and ear for as long as it
    // lives.
    const opened: Ends[] = [];
    for (const side of sides) opened.push(await side.open());
    const inRound = sides.map(() => newPresses());
    for (let index = 0; index < PRESSES; index += 1) {
      // Each one is the first in turn, so that its after-effects count for all.
      for (let turn = 0; turn < sides.length; turn += 1) {
        const at = (index + turn) % sides.length;
        const [ends, presses] = [opened[at], inRound[at]];
        if (ends && presses) await press(ends, presses);
      }
    }
    for (const [at, side] of sides.entries()) {
      const presses = inRound[at] ?? newPresses();
      side.rounds.push(median(presses.pressToEar));
      addPresses(side.all, presses);
    }
    const [always = 0, pausing = 0, own = 0] = sides.map(({ rounds }) => rounds.at(-1) ?? Number.NaN);
    ratios.push(own / Math.min(always, pausing));
    await Promise.all(opened.map(closeEnds));
  }
  const product = sides[2]?.all ?? newPresses();

  const far = new Map<number, Presses>();
  for (const [index, awayMs] of AWAY_MS.entries()) {
    const ends = await openRoom(paths[index]?.origin ?? '');
    const presses = newPresses();
    for (let count = 0; count < ROUNDS * PRESSES; count += 1) await press(ends, presses);
    far.set(awayMs, presses);
    await closeEnds(ends);
  }

  const [talker, listener] = await openRoom(server.origin);
  const restarts = await measureRestarts(talker, listener, server, RESTARTS);

  const table = Object.fromEntries([
    ...sides.flatMap(({ name, all }) => [
      [`${name}: press to ear`, figuresOf(all.pressToEar)],
      [`${name}: said to heard, in the talk`, figuresOf(all.late)],
      [`${name}: in the jitter buffer`, figuresOf(all.buffered)],
      [`${name}: wished by the jitter buffer`, figuresOf(all.bufferTarget)],
      [
        `${name}: capture, coding, way and loudspeaker`,
        figuresOf(all.late.map((ms, at) => ms - (all.buffered[at] ?? 0))),
      ],
    ]),
    ['product: press to grant shown', figuresOf(product.grant)],
    ['product: clipped after the press', figuresOf(product.clipped)],
    ['product: clipped after the grant', figuresOf(product.clippedAfterGrant)],
    ['product: release to last sound', figuresOf(product.tail)],
    ...[...far].flatMap(([awayMs, presses]) => [
      [`server ${awayMs} ms away: press to ear`, figuresOf(presses.pressToEar)],
      [`server ${awayMs} ms away: press to grant shown`, figuresOf(presses.grant)],
      [`server ${awayMs} ms away: cut from the start`, figuresOf(presses.clipped)],
    ]),
    ['a restart of the server: longest gap heard', figuresOf(restarts.gap)],
    ['a restart of the server: pages without a link', figuresOf(restarts.away)],
  ]);
  console.table(table);
  const inRow = (values: readonly number[]) => values.map(round).join(', ');
  const spread = Object.fromEntries(sides.map(({ name, rounds }) => [name, inRow(rounds)]));
  console.table(spread);
  console.log(`product / better bare pair, round by round: ${inRow(ratios)}`);
  const everyPress = [product, ...far.values()];
  conclude(
    'press-to-ear',
    {
      ...{ unit: 'ms', rounds: ROUNDS, pressesPerRound: PRESSES, figures: table },
      medians: spread,
      ratios: inRow(ratios),
    },
    [
      {
        what: 'product / better bare pair, middle of the rounds',
        value: median(ratios),
        limit: LIMIT_RATIO,
        unit: 'times',
      },
      { what: 'press to ear, p95', value: percentile(product.pressToEar, 0.95), limit: LIMIT_P95_MS, unit: 'ms' },
      {
        what: 'clipped after the grant, worst',
        value: Math.max(0, ...measured(product.clippedAfterGrant).map((ms) => ms - CLIP_RESOLUTION_MS)),
        limit: 0,
        unit: 'ms',
      },
      ...[...far].map(([awayMs, { clipped }]) => ({
        what: `server ${awayMs} ms away: cut from the start, p95`,
        value: percentile(clipped, 0.95),
        limit: LIMIT_CUT_MS,
        unit: 'ms',
      })),
      {
        what: 'a restart of the server: longest gap heard, worst',
        value: Math.max(...restarts.gap),
        limit: LIMIT_GAP_MS,
        unit: 'ms',
      },
      {
        what: 'presses not heard',
        value: everyPress.reduce((sum, { unheard }) => sum + unheard, 0),
        limit: 0,
        unit: '',
      },
      { what: 'presses measured short of 50', value: Math.max(0, 50 - product.pressToEar.length), limit: 0, unit: '' },
    ],
  );
} finally {
  await browser.close();
  await Promise.all(paths.map((path) => path.close()));
  await server.dispose();
}
