import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBrowserTests } from './e2e.ts';
import { execute, run } from './processes.ts';

const root = join(import.meta.dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'pressel-results-'));
const bin = (name: string) => join(root, 'node_modules/.bin', name);
const say = (text: string) => console.log(`\n— ${text}`);

let failed = 0;
let passed = 0;

/** Runs one stage; its failure is counted and the next stages still run, so that one run tells everything. */
async function stage(name: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  say(name);
  try {
    await work();
  } catch (error) {
    failed += 1;
    console.error(error instanceof Error ? error.message : error);
  }
  say(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** Adds up what a runner's JSON report says. A missing report is a failure already counted by its stage. */
function count<Report>(file: string, read: (report: Report) => { passed: number; failed: number }): void {
  const report = read(JSON.parse(readFileSync(join(results, file), 'utf8')));
  passed += report.passed;
  // The stage itself counted one failure when its runner failed.
  failed += Math.max(0, report.failed - 1);
}

await stage('format and lint', () => execute(bin('biome'), ['check', '--error-on-warnings', '.'], { cwd: root }));
await stage('types', () => execute(bin('tsc'), ['-b'], { cwd: root }));
await stage('unused code and dependencies', () => execute(bin('knip'), [], { cwd: root }));
await stage('unit and service tests', async () => {
  const report = join(results, 'vitest.json');
  try {
    await run(
      ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      { cwd: root },
    );
  } finally {
    count('vitest.json', ({ numPassedTests, numFailedTests }: { numPassedTests: number; numFailedTests: number }) => ({
      passed: numPassedTests,
      failed: numFailedTests,
    }));
  }
});
await stage('browser tests', async () => {
  try {
    await runBrowserTests({ PLAYWRIGHT_JSON_OUTPUT_FILE: join(results, 'browser.json') });
  } finally {
    count('browser.json', ({ stats }: { stats: { expected: number; flaky: number; unexpected: number } }) => ({
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected,
    }));
  }
});

rmSync(results, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
