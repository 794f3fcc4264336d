import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { chromium } from 'playwright';
import { type OpenScreen, untilRoomsAreEmpty } from './open-screens.ts';
import { median } from './report.ts';

/** npx fetches it on request: 200 packages that nothing else here needs. */
const LIGHTHOUSE = 'lighthouse@12.8.2';

export const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Lighthouse's own multiplier of processor times. It suits a fast desktop computer. */
const FIXED_SLOWDOWN = 4;

/** Lighthouse's judgement of the same loads, with one way to simulate a phone's processor. Each figure is the median of the runs. */
interface Judgement {
  /** 0 to 100. */
  performance: number;
  firstPaintMs: number;
  largestPaintMs: number;
  speedIndexMs: number;
  blockedMs: number;
}

export interface LighthouseFigures {
  /** 0 to 100, with the calibrated processor. */
  scores: Record<Category, number>;
  /** Ids of the audits that cost points, in the categories that don't measure time. */
  failed: string[];
  /** A phone of the middle class, whatever machine this is. */
  calibrated: Judgement;
  /** A processor that is four times slower than this machine's. */
  fixed: Judgement;
  shift: number;
}

/** Lighthouse's results for all screens. */
export interface LighthouseRun {
  /** The speed of this machine as Lighthouse measures it before each load: the median of all loads. */
  benchmarkIndex: number;
  /** How many times slower than this machine's the calibrated processor is. */
  slowdown: number;
  screens: Record<OpenScreen['name'], LighthouseFigures>;
}

interface Report {
  environment: { benchmarkIndex: number };
  categories: Record<Category, { score: number; auditRefs: { id: string; weight: number }[] }>;
  /** `score` is null where an audit doesn't apply. */
  audits: Record<string, { score: number | null; numericValue?: number }>;
}

/**
 * The multiplier that makes a machine with this index a phone of the middle class, as Lighthouse's calculator has it:
 * https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md#calibrating-the-cpu-slowdown and
 * https://github.com/patrickhulce/lighthouse-cpu-throttling-calculator/blob/master/pages/index.js
 * @throws RangeError when the machine is slower than that phone
 */
function slowdownFor(benchmarkIndex: number): number {
  const round = (multiplier: number) => Math.round(multiplier * 10) / 10;
  if (benchmarkIndex >= 1_300) return round(3 + (benchmarkIndex - 1_300) / 233);
  if (benchmarkIndex >= 800) return round(2 + (benchmarkIndex - 800) / 500);
  if (benchmarkIndex >= 150) return round(1 + (benchmarkIndex - 150) / 650);
  throw new RangeError(`This machine is too slow to stand for a phone: Lighthouse's index is ${benchmarkIndex}`);
}

/**
 * Lighthouse's mobile judgement of the screens, each load in a new browser that holds nothing but the session. The index of one machine
 * varies by half within minutes, so all loads are judged with one multiplier.
 */
export async function judge(
  origin: string,
  token: string,
  screens: readonly OpenScreen[],
  runs: number,
): Promise<LighthouseRun> {
  const folder = await mkdtemp(join(tmpdir(), 'pressel-lighthouse-'));
  try {
    const loads: Load[] = [];
    for (let run = 0; run < runs; run += 1) {
      for (const screen of screens) {
        await untilRoomsAreEmpty(origin, token);
        loads.push(await load(origin, token, screen, join(folder, `${run}-${screen.name}`)));
      }
    }
    const benchmarkIndex = Math.round(median(loads.map(({ fixed }) => fixed.environment.benchmarkIndex)));
    const slowdown = slowdownFor(benchmarkIndex);
    const judged: (Load & { calibrated: Report })[] = [];
    for (const one of loads) judged.push({ ...one, calibrated: await judgeAgain(one, slowdown) });
    const figures = screens.map(({ name }) => {
      const own = judged.filter(({ screen }) => screen === name);
      const [fixed, calibrated] = [own.map((one) => one.fixed), own.map((one) => one.calibrated)];
      return [name, figuresOf(fixed, calibrated)] as const;
    });
    return { benchmarkIndex, slowdown, screens: Object.fromEntries(figures) as LighthouseRun['screens'] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function figuresOf(fixed: readonly Report[], calibrated: readonly Report[]): LighthouseFigures {
  const score = (category: Category) => scoreOf(calibrated, category);
  return {
    scores: {
      performance: score('performance'),
      accessibility: score('accessibility'),
      'best-practices': score('best-practices'),
    },
    failed: [...new Set(calibrated.flatMap(failedIn))].toSorted(),
    calibrated: judgementOf(calibrated),
    fixed: judgementOf(fixed),
    shift: Math.round(medianOf(calibrated, 'cumulative-layout-shift') * 1000) / 1000,
  };
}

const scoreOf = (reports: readonly Report[], category: Category): number =>
  Math.round(median(reports.map(({ categories }) => categories[category].score * 100)));

const medianOf = (reports: readonly Report[], audit: string): number =>
  median(reports.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN));

const judgementOf = (reports: readonly Report[]): Judgement => ({
  performance: scoreOf(reports, 'performance'),
  firstPaintMs: Math.round(medianOf(reports, 'first-contentful-paint')),
  largestPaintMs: Math.round(medianOf(reports, 'largest-contentful-paint')),
  speedIndexMs: Math.round(medianOf(reports, 'speed-index')),
  blockedMs: Math.round(medianOf(reports, 'total-blocking-time')),
});

const failedIn = ({ categories, audits }: Report): string[] =>
  CATEGORIES.filter((category) => category !== 'performance')
    .flatMap((category) => categories[category].auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => id);

/** A load that Lighthouse keeps in a folder, with its judgement of it. */
interface Load {
  screen: OpenScreen['name'];
  address: string;
  /** A folder of its own. */
  folder: string;
  fixed: Report;
}

/** Loads a screen once, and judges that load with Lighthouse's own multiplier. */
async function load(origin: string, token: string, screen: OpenScreen, folder: string): Promise<Load> {
  const port = await freePort();
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    ...launchOptions,
    ...WITHOUT_WORKER,
    args: [...launchOptions.args, `--remote-debugging-port=${port}`],
  });
  try {
    if (screen.isSignedIn) {
      const page = await context.newPage();
      await page.goto(`${origin}/healthz`);
      await page.evaluate((value) => localStorage.setItem('TOKEN_KEY', value), token);
      await page.close();
    }
    const made = { screen: screen.name, address: `${origin}${screen.path}`, folder };
    const gather = [`--port=${port}`, `--gather-mode=${keptIn(folder)}`];
    return { ...made, fixed: await runLighthouse(made, FIXED_SLOWDOWN, gather) };
  } finally {
    await context.close();
  }
}

/** Judges a load that was kept with another multiplier. */
async function judgeAgain(made: Load, slowdown: number): Promise<Report> {
  await setSlowdown(keptIn(made.folder), slowdown);
  return runLighthouse(made, slowdown, []);
}

const keptIn = (folder: string) => join(folder, 'load');

async function runLighthouse(
  { address, folder }: Omit<Load, 'fixed'>,
  slowdown: number,
  args: readonly string[],
): Promise<Report> {
  const output = join(folder, `report-${slowdown}.json`);
  await promisify(execFile)('npx', [
    '--yes',
    LIGHTHOUSE,
    address,
    '--quiet',
    '--output=json',
    `--output-path=${output}`,
    `--only-categories=${CATEGORIES.join(',')}`,
    `--throttling.cpuSlowdownMultiplier=${slowdown}`,
    // Otherwise it empties the storage with the session; the profile is new anyway.
    '--disable-storage-reset',
    `--audit-mode=${keptIn(folder)}`,
    ...args,
  ]);
  return JSON.parse(await readFile(output, 'utf8')) as Report;
}

/**
 * Changes the multiplier that a kept load was made for, because Lighthouse judges a load with its own settings only. The
 * load itself ran at this machine's full speed: Lighthouse simulates the phone afterwards.
 */
async function setSlowdown(kept: string, slowdown: number): Promise<void> {
  const file = join(kept, 'artifacts.json');
  const load = JSON.parse(await readFile(file, 'utf8')) as {
    settings: { throttlingMethod: string; throttling: { cpuSlowdownMultiplier: number } };
  };
  if (load.settings.throttlingMethod !== 'simulate') throw new Error('The load itself was slowed down');
  load.settings.throttling.cpuSlowdownMultiplier = slowdown;
  await writeFile(file, JSON.stringify(load));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}
