import { join } from 'node:path';
import { installForBrowserTests } from './e2e.ts';
import { installRedis } from './packages.ts';
import { execute, run } from './processes.ts';
import { findPython } from './python.ts';
import { startTestRun } from './test-run.ts';

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
    'activity-plans',
    'maintenance',
    'power-cut',
    'process',
    'reference-examples',
  ],
  ...['cluster', 'backup', 'run', 'two-processes', 'all-at-once'],
].map((name) => `**/${name}.test.ts`);
/** By default each project has four checkers, which work out the same types again: that takes twice the processor time. */
const TYPE_CHECK = ['-b', '--checkers', '1'];
/** The compiler collects garbage only after its memory has grown fivefold. That saves a fifth of its time. */
const COLLECT_SELDOM = { ...process.env, GOGC: '400' };
const bin = (name: string) => join(import.meta.dirname, '../node_modules/.bin', name);

const { stage, vitest, browsers, finish } = startTestRun({ isSideBySide: true });

/**
 * Checks the code in short stages, one after the other. First it builds the web app, for which the browser tests would otherwise wait on
 * one core. It comes first because tests of the server start processes that serve that folder; they run after those of the web app.
 */
async function checkCode(): Promise<void> {
  if (!isQuick) await stage('build of the web app', (options) => run(['scripts/build-web.ts'], options));
  await stage('format and lint', (options) => execute(bin('biome'), ['check', '--error-on-warnings', '.'], options));
  await stage('types', (options) => execute(bin('tsc'), TYPE_CHECK, { ...options, env: COLLECT_SELDOM }));
  await stage('unused code and dependencies', (options) => execute(bin('knip'), [], options));
}

const left = isQuick ? LONG.flatMap((glob) => ['--exclude', glob]) : [];
/** Only services need what is installed, so everything else comes first. By then the web app, which they serve, is built. */
async function testUnits(): Promise<void> {
  await vitest('unit tests', ['--project', '!server', ...left]);
  await installing;
  await vitest('service tests', ['--project', 'server', ...left]);
}

// The S3 server is large, so it is installed only where everything is to be checked.
const installing = Promise.all([installRedis(), findPython('s3-server', process.env.CI !== undefined)]);
// Browser tests come last, so there is time to install what they need.
const installingMore = isQuick ? undefined : installing.then(installForBrowserTests);
// Unit tests spend part of their time waiting, and packages wait for the network: the checks of code use that time.
await Promise.all([checkCode(), testUnits(), installing, installingMore]);
if (!isQuick) await browsers('browser tests');
finish();
