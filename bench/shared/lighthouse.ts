import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { chromium } from 'playwright';
import type { OpenScreen } from './open-screens.ts';
import { median } from './report.ts';

/** npx fetches it on request: 200 packages that nothing else here needs. */
const LIGHTHOUSE = 'lighthouse@12.8.2';

export const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface LighthouseFigures {
  /** 0 to 100, each figure the median of the runs. */
  scores: Record<Category, number>;
  /** Ids of the audits that cost points, in the categories that don't measure time. */
  failed: string[];
  firstPaintMs: number;
  largestPaintMs: number;
  blockedMs: number;
  shift: number;
}

interface Report {
  categories: Record<Category, { score: number; auditRefs: { id: string; weight: number }[] }>;
  /** `score` is null where an audit doesn't apply. */
  audits: Record<string, { score: number | null; numericValue?: number }>;
}

/** Lighthouse's mobile judgement of a screen, each run in a new browser that holds nothing but the session. */
export async function judge(
  origin: string,
  token: string,
  screen: OpenScreen,
  runs: number,
): Promise<LighthouseFigures> {
  const reports: Report[] = [];
  for (let run = 0; run < runs; run += 1) reports.push(await judgeOnce(origin, token, screen));
  const of = (audit: string) => median(reports.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN));
  const score = (category: Category) =>
    Math.round(median(reports.map(({ categories }) => categories[category].score * 100)));
  return {
    scores: {
      performance: score('performance'),
      accessibility: score('accessibility'),
      'best-practices': score('best-practices'),
    },
    failed: [...new Set(reports.flatMap(failedIn))].toSorted(),
    firstPaintMs: Math.round(of('first-contentful-paint')),
    largestPaintMs: Math.round(of('largest-contentful-paint')),
    blockedMs: Math.round(of('total-blocking-time')),
    shift: Math.round(of('cumulative-layout-shift') * 1000) / 1000,
  };
}

const failedIn = ({ categories, audits }: Report): string[] =>
  CATEGORIES.filter((category) => category !== 'performance')
    .flatMap((category) => categories[category].auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => id);

async function judgeOnce(origin: string, token: string, screen: OpenScreen): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'pressel-lighthouse-'));
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
    const output = join(folder, 'report.json');
    const options = ['--quiet', '--output=json', `--output-path=${output}`, `--port=${port}`];
    await promisify(execFile)('npx', [
      '--yes',
      LIGHTHOUSE,
      `${origin}${screen.path}`,
      ...options,
      `--only-categories=${CATEGORIES.join(',')}`,
      // Otherwise it empties the storage with the session; the profile is new anyway.
      '--disable-storage-reset',
    ]);
    return JSON.parse(await readFile(output, 'utf8')) as Report;
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}
