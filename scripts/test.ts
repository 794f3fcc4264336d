import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installRedis } from './packages.ts';
import { execute, run } from './processes.ts';
import { findPython } from './python.ts';
import { type Outcome, readPlaywright, readStrayErrors, readVitest } from './test-reports.ts';

/** Leaves out the browser tests and LONG: for a run before each commit. */
const isQuick = process.argv.includes('--quick');
/**
 * Tests that start whole processes or databases, send thousands of wrong inputs or read a million rows. They take half of the
 * time of all tests of units and services, and seldom fail alone.
 */
const LONG = [
  ...[
    'chat-process',
    'database-process',
    'fuzz',
    'log-plans',
    'maintenance',
    'power-cut',
    'process',
    'reference-examples',
  ],
  ...['cluster', 'backup', 'run', 'two-processes', 'all-at-once'],
].map((name) => `**/${name}.test.ts`);
const root = join(import.meta.dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'pressel-results-'));
const bin = (name: string) => join(root, 'node_modules/.bin', name);
const say = (text: string) => console.log(`\n— ${text}`);

let passed = 0;
const failures: string[] = [];
const flaky: string[] = [];

/** Options of a process whose output goes to the stage's log. */
interface Logged {
  cwd: string;
  stdio: ['ignore', number, number];
}

/**
 * Runs one stage, and prints its output when it has ended: stages run side by side, and their lines would mix. A failure is
 * kept and the other stages go on, so that one run tells everything.
 */
async function stage(name: string, work: (options: Logged) => Promise<void>): Promise<void> {
  const start = performance.now();
  const before = failures.length;
  const path = join(results, `${name.replaceAll(' ', '-')}.log`);
  const log = openSync(path, 'w');
  say(`${name}: begun`);
  let message: string | undefined;
  try {
    await work({ cwd: root, stdio: ['ignore', log, log] });
  } catch (error) {
    message = error instanceof Error ? error.message : String(error);
  }
  closeSync(log);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`${name}: ${message === undefined ? 'passed' : 'FAILED'} after ${seconds} s. Its output:`);
  process.stdout.write(readFileSync(path));
  if (message === undefined) return;
  console.error(message);
  // Its tests say more.
  if (!failures.slice(before).some((line) => line.startsWith(`${name} › `))) failures.push(`${name} › ${message}`);
}

/** Adds what a runner's JSON report says of a stage. A missing report is a failure of its stage. */
function add<Report>(name: string, file: string, read: (report: Report) => Outcome): void {
  const outcome = read(JSON.parse(readFileSync(join(results, file), 'utf8')));
  passed += outcome.passed;
  failures.push(...outcome.failures.map((line) => `${name} › ${line}`));
  flaky.push(...outcome.flaky.map((line) => `${name} › ${line}`));
}

const UNIT = 'unit and service tests';
const BROWSER = 'browser tests';

/** Runs the checks that need no browser. The first three are short, so they take turns. */
async function checkCode(): Promise<void> {
  await stage('format and lint', (options) => execute(bin('biome'), ['check', '--error-on-warnings', '.'], options));
  await stage('types', (options) => execute(bin('tsc'), ['-b'], options));
  await stage('unused code and dependencies', (options) => execute(bin('knip'), [], options));
}

const REPORTERS = ['default', 'json', './scripts/test-reports.ts'].map((reporter) => `--reporter=${reporter}`);
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', ...REPORTERS];

const testUnits = (): Promise<void> =>
  stage(UNIT, async (options) => {
    const report = `--outputFile.json=${join(results, 'vitest.json')}`;
    const env = { ...process.env, PRESSEL_STRAY_ERRORS: join(results, 'stray-errors.json') };
    try {
      const left = isQuick ? LONG.flatMap((glob) => ['--exclude', glob]) : [];
      await run([...VITEST, report, ...left], { ...options, env });
    } finally {
      add(UNIT, 'vitest.json', readVitest);
      add(UNIT, 'stray-errors.json', readStrayErrors);
    }
  });

const testInBrowsers = (): Promise<void> =>
  stage(BROWSER, async (options) => {
    const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: join(results, 'browser.json') };
    try {
      await run(['scripts/e2e.ts'], { ...options, env });
    } finally {
      add(BROWSER, 'browser.json', readPlaywright);
    }
  });

// The S3 server is large, so it is installed only where everything is to be checked.
const installing = Promise.all([installRedis(), findPython('s3-server', process.env.CI !== undefined)]);
// Unit tests spend part of their time waiting, and packages wait for the network: the checks of code use that time.
await Promise.all([checkCode(), installing.then(testUnits)]);
if (!isQuick) await testInBrowsers();

rmSync(results, { recursive: true, force: true });
// Flaky tests are told again at the end, where they are found: the output above is long.
for (const line of flaky) console.log(`flaky: ${line}`);
for (const line of failures) console.log(`failed: ${line}`);
console.log(`\n${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
