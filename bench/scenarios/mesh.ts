/**
 * The cost of a room for the machine, while nobody talks and while one does: the product's pages against bare pages.
 * These hold the same full mesh of connections and play the same voice. Both run at the same time, or in turns where
 * that is too much for two cores. Measured is the sum of all processes of each browser, as Linux counts their time in
 * /proc/<pid>/stat (user and system), in percent of one core. Other sizes, and other turns:
 * `npm run bench -- mesh 2,8 3`.
 */
import { createApi } from '@pressel/e2e/harness/api';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { type PresselProcess, startPressel } from '@pressel/e2e/harness/server-process';
import { type Browser, chromium, type Page } from 'playwright';
import { openBareMesh } from '../shared/bare-mesh.ts';
import { processorTime } from '../shared/processor-time.ts';
import { conclude, round, type Verdict } from '../shared/report.ts';

const [sizes = '2,4,8,13', turns = '3'] = process.argv.slice(2);
const SIZES = sizes.split(',').map(Number);
const TURNS = Number(turns);
const LIMIT_RATIO = 1.15;
/** Measured time of each turn. A talk must end by itself only after it: TALK_MAX_MS is 30 s. */
const TURN_MS = 12_000;
/**
 * The most people whose two meshes run beside each other: a slower moment of the machine then meets both. Two meshes of eight
 * took nearly all of two slower cores, and a page did not answer for 30 s.
 */
const LARGEST_PAIR = 4;
/** The wait after a change, until its effects have passed: tones, first packets, and the fading of the browser's own mark of sound. */
const SETTLE_MS = 8_000;
/** The wait after the pages opened: V8 clears away what their start left some 28 s after it, and once more 9 s later (Chromium 156). */
const REST_MS = 40_000;

const SETUP_LIMIT_MS = 120_000;

const SIDES = ['bare', 'product'] as const;

/** One side of the comparison: its browser, and how its first person talks. */
interface Side {
  name: (typeof SIDES)[number];
  pid: number;
  setTalking(isTalking: boolean): Promise<void>;
  /** Says whether the voice gets to everybody at this moment. */
  isHeard(): Promise<boolean>;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs with a browser of its own, whose main process is `pid`. */
async function withBrowser<T>(use: (browser: Browser, pid: number) => Promise<T>): Promise<T> {
  const process = await chromium.launchServer(launchOptions);
  try {
    return await use(await chromium.connect(process.wsEndpoint()), process.process().pid ?? 0);
  } finally {
    await process.close();
  }
}

/** A channel with so many members. */
async function furnish(server: PresselProcess, size: number) {
  const api = createApi(server.origin, (name) => `${name} ${size}`);
  const people = await Promise.all(
    Array.from({ length: size }, (_, index) => api.person(`Membre${index}`, admin.token)),
  );
  const { rtcSession } = await api.channel(admin, 'Mesh', people);
  return { people, rtcSession };
}
type Furnished = Awaited<ReturnType<typeof furnish>>;

async function openProduct(
  browser: Browser,
  server: PresselProcess,
  { people, rtcSession }: Furnished,
): Promise<Omit<Side, 'pid'>> {
  const pages: Page[] = [];
  for (const { token } of people) {
    const context = await browser.newContext({
      ...WITHOUT_WORKER,
      baseURL: server.origin,
      permissions: ['microphone'],
    });
    await context.addInitScript((value) => sessionStorage.setItem('TOKEN_KEY', value), token);
    const page = await context.newPage();
    await page.goto(`/groupCallView/${rtcSession}`);
    await page.locator('[data-talk-button][data-state=idle]').waitFor({ timeout: SETUP_LIMIT_MS });
    pages.push(page);
  }
  for (const page of pages) {
    await page.waitForFunction(
      (others) => document.querySelectorAll('[data-tile][data-presence=connected]').length === others,
      people.length - 1,
      { timeout: SETUP_LIMIT_MS },
    );
  }
  const [talker, ...listeners] = pages as [Page, ...Page[]];
  await talker.locator('[data-talk-button]').hover();
  const stateOf = (page: Page) => page.locator('[data-talk-button]').getAttribute('data-state');
  return {
    name: 'product',
    setTalking: (isTalking) => (isTalking ? talker.mouse.down() : talker.mouse.up()),
    async isHeard() {
      const states = await Promise.all([talker, ...listeners].map(stateOf));
      const isHeard = states.every((state, index) => state === (index === 0 ? 'talking' : 'busy'));
      // These are different faults: the talker lost the floor, and why, or a listener lost the link.
      if (!isHeard) {
        const why = await talker.locator('[data-face] > p').first().textContent();
        console.log('not heard, the talker and the others', JSON.stringify(states), why);
      }
      return isHeard;
    },
  };
}

async function openBare(browser: Browser, server: PresselProcess, size: number): Promise<Omit<Side, 'pid'>> {
  const mesh = await openBareMesh(browser, `${server.origin}/healthz`, size);
  return {
    name: 'bare',
    setTalking: mesh.setTalking,
    async isHeard() {
      const before = await mesh.received();
      await pause(500);
      const now = await mesh.received();
      return now.every((bytes, index) => bytes > (before[index] ?? 0));
    },
  };
}

/** Percent of one core that a browser takes for TURN_MS. */
async function measure(pid: number): Promise<number> {
  const before = processorTime(pid).all;
  const start = performance.now();
  await pause(TURN_MS);
  return ((processorTime(pid).all - before) / (performance.now() - start)) * 100;
}

interface Figures {
  idle: number[];
  talking: number[];
  /** Talks that somebody didn't hear to the end of the turn. */
  lost: number;
}

type FiguresOfSides = Record<Side['name'], Figures>;

async function takeTurn(sides: readonly Side[], figures: FiguresOfSides): Promise<void> {
  const measureAll = (act: 'idle' | 'talking') =>
    Promise.all(
      sides.map(async ({ name, pid }) => {
        const percent = await measure(pid);
        figures[name][act].push(percent);
        // A side that later ends without a figure leaves the other's: does the bare mesh alone take all cores?
        console.log(name, act, round(percent));
      }),
    );
  await pause(REST_MS);
  await measureAll('idle');
  for (const side of sides) await side.setTalking(true);
  await pause(SETTLE_MS);
  await measureAll('talking');
  for (const side of sides) if (!(await side.isHeard())) figures[side.name].lost += 1;
  for (const side of sides) await side.setTalking(false);
}

async function measureSize(server: PresselProcess, size: number): Promise<FiguresOfSides> {
  const room = await furnish(server, size);
  const figures: FiguresOfSides = {
    bare: { idle: [], talking: [], lost: 0 },
    product: { idle: [], talking: [], lost: 0 },
  };
  const open = async (name: Side['name'], browser: Browser, pid: number): Promise<Side> => ({
    pid,
    ...(await (name === 'bare' ? openBare(browser, server, size) : openProduct(browser, server, room))),
  });
  for (let turn = 0; turn < TURNS; turn += 1) {
    // The order changes from turn to turn, so that a busier minute of the machine counts for both.
    const [first, second] = turn % 2 === 0 ? SIDES : SIDES.toReversed();
    await withBrowser(async (browser, pid) => {
      const sides = [await open(first, browser, pid)];
      if (size > LARGEST_PAIR) return takeTurn(sides, figures);
      await withBrowser(async (other, otherPid) => takeTurn([...sides, await open(second, other, otherPid)], figures));
    });
    if (size > LARGEST_PAIR) {
      await withBrowser(async (browser, pid) => takeTurn([await open(second, browser, pid)], figures));
    }
  }
  return figures;
}

const server = await startPressel();
const admin = await createApi(server.origin).person('Camille');
const table: Record<string, Record<string, number>> = {};
const verdicts: Verdict[] = [];
try {
  for (const size of SIZES) {
    const { bare, product } = await measureSize(server, size);
    for (const act of ['idle', 'talking'] as const) {
      const [inBare, inProduct] = [mean(bare[act]), mean(product[act])];
      const ratio = inProduct / inBare;
      table[`${size} ${act}`] = { bare: round(inBare), product: round(inProduct), ratio: round(ratio) };
      verdicts.push({
        what: `${size} people, ${act}: product / bare mesh`,
        value: ratio,
        limit: LIMIT_RATIO,
        unit: 'times',
      });
    }
    console.table(table);
    const lost = { unit: 'talks', limit: 0 };
    verdicts.push({ what: `${size} people: not heard to the end`, value: product.lost, ...lost });
    verdicts.push({ what: `${size} people: not heard to the end, bare`, value: bare.lost, ...lost });
  }
  conclude(
    'mesh',
    { unit: 'percent of one core, all processes of the browser', turns: TURNS, figures: table },
    verdicts,
  );
} finally {
  await server.dispose();
}
