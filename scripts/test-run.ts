import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './processes.ts';
import { type Outcome, readPlaywright, readStrayErrors, readVitest } from './test-reports.ts';

/** Options of a process that belongs to a stage. */
export interface StageOptions {
  cwd: string;
  stdio: 'inherit' | ['ignore', number, number];
}

/** A run of tests in several stages. A failure is kept and the other stages go on, so that one run tells everything. */
export interface TestRun {
  stage(name: string, work: (options: StageOptions) => Promise<void>): Promise<void>;
  /** Runs Vitest as a stage. `args` are Vitest's. */
  vitest(name: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<void>;
  /** Builds what is stale and runs the browser tests as a stage. `args` are Playwright's. */
  browsers(name: string, args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<void>;
  /** Repeats every failure with its stage and its file, then the sums. Sets the exit code. */
  finish(): void;
}

const root = join(import.meta.dirname, '..');
const REPORTERS = ['default', 'json', './scripts/test-reports.ts'].map((reporter) => `--reporter=${reporter}`);
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', ...REPORTERS];

/**
 * @param options.isSideBySide stages run at the same time: the output of each is printed when it has ended, because their lines would mix
 */
export function startTestRun({ isSideBySide }: { isSideBySide: boolean }): TestRun {
  const results = mkdtempSync(join(tmpdir(), 'pressel-results-'));
  const say = (text: string) => console.log(`\n— ${text}`);
  let passed = 0;
  const failures: string[] = [];
  const flaky: string[] = [];
  const fileOf = (name: string, kind: string) => join(results, `${name.replaceAll(' ', '-')}.${kind}`);

  async function stage(name: string, work: (options: StageOptions) => Promise<void>): Promise<void> {
    const start = performance.now();
    const before = failures.length;
    const path = fileOf(name, 'log');
    const log = isSideBySide ? openSync(path, 'w') : null;
    say(`${name}: begun`);
    let message: string | undefined;
    try {
      await work({ cwd: root, stdio: log === null ? 'inherit' : ['ignore', log, log] });
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    say(
      `${name}: ${message === undefined ? 'passed' : 'FAILED'} after ${seconds} s${log === null ? '' : '. Its output:'}`,
    );
    if (log !== null) {
      closeSync(log);
      process.stdout.write(readFileSync(path));
    }
    if (message === undefined) return;
    console.error(message);
    // Its tests say more.
    if (!failures.slice(before).some((line) => line.startsWith(`${name} › `))) failures.push(`${name} › ${message}`);
  }

  /** Adds what a runner's JSON report says of a stage. A missing report is a failure of its stage. */
  function add<Report>(name: string, file: string, read: (report: Report) => Outcome): void {
    if (!existsSync(file)) {
      failures.push(`${name} › it wrote no report`);
      return;
    }
    const outcome = read(JSON.parse(readFileSync(file, 'utf8')));
    passed += outcome.passed;
    failures.push(...outcome.failures.map((line) => `${name} › ${line}`));
    flaky.push(...outcome.flaky.map((line) => `${name} › ${line}`));
  }

  return {
    stage,
    vitest: (name, args, env) =>
      stage(name, async (options) => {
        const [report, strays] = [fileOf(name, 'json'), fileOf(name, 'strays.json')];
        try {
          await run([...VITEST, `--outputFile.json=${report}`, ...args], {
            ...options,
            env: { ...process.env, ...env, PRESSEL_STRAY_ERRORS: strays },
          });
        } finally {
          add(name, report, readVitest);
          if (existsSync(strays)) add(name, strays, readStrayErrors);
        }
      }),
    browsers: (name, args = [], env = {}) =>
      stage(name, async (options) => {
        const report = fileOf(name, 'json');
        try {
          await run(['scripts/e2e.ts', ...args], {
            ...options,
            env: { ...process.env, ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
          });
        } finally {
          add(name, report, readPlaywright);
        }
      }),
    finish() {
      rmSync(results, { recursive: true, force: true });
      // Flaky tests are told again at the end, where they are found: the output above is long.
      for (const line of flaky) console.log(`flaky: ${line}`);
      for (const line of failures) console.log(`failed: ${line}`);
      console.log(`\n${passed} passed, ${failures.length} failed`);
      process.exitCode = failures.length === 0 ? 0 : 1;
    },
  };
}
