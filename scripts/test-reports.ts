import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError } from 'vitest';
import type { Reporter } from 'vitest/node';

/** The outcome of a run of tests. */
export interface Outcome {
  passed: number;
  /** One line each: the file, the test's name, the first line of why. */
  failures: string[];
  /** Tests that passed at their second try only, told in the same way; they are counted as passed too. */
  flaky: string[];
}

/** The parts of Vitest's JSON report that are read. */
export interface VitestReport {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    /** Why the file as a whole failed. */
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] | null }[];
  }[];
}

export function readVitest({ numPassedTests, testResults }: VitestReport): Outcome {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // A file that could not be loaded has no tests to fail.
    if (failed.length === 0) return status === 'failed' ? [lineOf(name, '', message)] : [];
    return failed.map(({ fullName, failureMessages }) => lineOf(name, fullName, failureMessages?.[0]));
  });
  return { passed: numPassedTests, failures, flaky: [] };
}

/**
 * Vitest's JSON report doesn't tell errors that belong to no test, although they fail the run. This reporter writes them to
 * the file that `PRESSEL_STRAY_ERRORS` names.
 */
// biome-ignore lint/style/noDefaultExport: Vitest takes a reporter from there
export default class StrayErrors implements Reporter {
  onTestRunEnd(_: unknown, errors: readonly SerializedError[]): void {
    const path = process.env.PRESSEL_STRAY_ERRORS;
    const told = errors.map(
      ({ message, stack, VITEST_TEST_PATH: during }): StrayError => ({
        message,
        stack,
        during: typeof during === 'string' ? during : undefined,
      }),
    );
    if (path !== undefined) writeFileSync(path, JSON.stringify(told));
  }
}

interface StrayError {
  message: string;
  stack?: string | undefined;
  /** The file whose tests ran at that time. */
  during?: string | undefined;
}

/** The whole stack in one line: nothing else says where the error came from. */
export const readStrayErrors = (errors: StrayError[]): Outcome => ({
  passed: 0,
  failures: errors.map(({ message, stack = message, during }) =>
    lineOf(during, 'an error outside of any test', stack.replaceAll(/\n\s*/g, ' ')),
  ),
  flaky: [],
});

interface BrowserSuite {
  file: string;
  specs: { title: string; tests: { status: string; results: { error?: { message?: string } }[] }[] }[];
  suites?: BrowserSuite[];
}

/** The parts of Playwright's JSON report that are read. */
export interface PlaywrightReport {
  suites: BrowserSuite[];
  /** Failures outside of any test. */
  errors: { message?: string }[];
}

export function readPlaywright({ suites, errors }: PlaywrightReport): Outcome {
  const outcome: Outcome = { passed: 0, failures: errors.map(({ message }) => lineOf('', '', message)), flaky: [] };
  const read = ({ file, specs, suites: inner = [] }: BrowserSuite): void => {
    for (const { title, tests } of specs) {
      for (const { status, results } of tests) {
        const line = lineOf(file, title, results.find(({ error }) => error !== undefined)?.error?.message);
        if (status === 'unexpected') outcome.failures.push(line);
        if (status === 'flaky') outcome.flaky.push(line);
        if (status === 'expected' || status === 'flaky') outcome.passed += 1;
      }
    }
    inner.forEach(read);
  };
  suites.forEach(read);
  return outcome;
}

const lineOf = (...parts: (string | undefined)[]): string =>
  parts
    .map((part) => stripVTControlCharacters(part ?? '').split('\n')[0])
    .filter(Boolean)
    .join(' › ');
