import { stripVTControlCharacters } from 'node:util';

/** What a run of tests came to. */
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

interface BrowserSuite {
  file: string;
  specs: { title: string; tests: { status: string; results: { error?: { message?: string } }[] }[] }[];
  suites?: BrowserSuite[];
}

/** The parts of Playwright's JSON report that are read. */
export interface PlaywrightReport {
  suites: BrowserSuite[];
  /** What failed outside of any test. */
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

const lineOf = (...parts: [file: string, name: string, why: string | undefined]): string =>
  parts
    .map((part) => stripVTControlCharacters(part ?? '').split('\n')[0])
    .filter(Boolean)
    .join(' › ');
