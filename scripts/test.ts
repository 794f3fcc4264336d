import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBrowserTests } from './e2e.ts';
import { execute, run } from './processes.ts';
import { type Outcome, readPlaywright, readVitest } from './test-reports.ts';

const root = join(import.meta.dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'pressel-results-'));
const bin = (name: string) => join(root, 'node_modules/.bin', name);
const say = (text: string) => console.log(`\n— ${text}`);

let passed = 0;
const failures: string[] = [];
const flaky: string[] = [];

/** Runs one stage; its failure is kept and the next stages still run, so that one run tells everything. */
async function stage(name: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  const before = failures.length;
  say(name);
  try {
    await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(message);
    // Its tests say more.
    if (failures.length === before) failures.push(`${name} › ${message}`);
  }
  say(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** Adds what a runner's JSON report says. A missing report is a failure of its stage. */
function add<Report>(file: string, read: (report: Report) => Outcome): void {
  const outcome = read(JSON.parse(readFileSync(join(results, file), 'utf8')));
  passed += outcome.passed;
  failures.push(...outcome.failures);
  flaky.push(...outcome.flaky);
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
    add('vitest.json', readVitest);
  }
});
await stage('browser tests', async () => {
  try {
    await runBrowserTests({ PLAYWRIGHT_JSON_OUTPUT_FILE: join(results, 'browser.json') });
  } finally {
    add('browser.json', readPlaywright);
  }
});

rmSync(results, { recursive: true, force: true });
// Told again at the end, where it is found: what is above is long.
for (const line of flaky) console.log(`flaky: ${line}`);
for (const line of failures) console.log(`failed: ${line}`);
console.log(`\n${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
