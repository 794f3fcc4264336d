import { expect, test } from 'vitest';
import { readPlaywright, readStrayErrors, readVitest } from './test-reports.ts';

test('a unit test that fails is told with its file and the first line of why', () => {
  const report = {
    numPassedTests: 1,
    testResults: [
      {
        name: 'a.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'holds', status: 'passed', failureMessages: [] },
          {
            fullName: 'breaks',
            status: 'failed',
            failureMessages: ['\u001b[31mexpected 1 to be 2\u001b[39m\n    at a.test.ts:3'],
          },
          { fullName: 'waits', status: 'skipped', failureMessages: null },
        ],
      },
    ],
  };
  expect(readVitest(report)).toEqual({
    passed: 1,
    failures: ['a.test.ts › breaks › expected 1 to be 2'],
    flaky: [],
  });
});

test('a file of unit tests that cannot be loaded is a failure', () => {
  const file = { name: 'b.test.ts', status: 'failed', message: 'Cannot find ./b.ts', assertionResults: [] };
  const { failures } = readVitest({ numPassedTests: 0, testResults: [file] });
  expect(failures).toEqual(['b.test.ts › Cannot find ./b.ts']);
});

test('browser tests are told however deep they stand; one that passed at its second try is passed, and named', () => {
  const suite = (status: string) => ({
    file: 'c.spec.ts',
    specs: [{ title: status, tests: [{ status, results: [{ error: { message: 'Timed out\n…' } }, {}] }] }],
  });
  const report = {
    suites: [{ file: 'c.spec.ts', specs: [], suites: ['expected', 'flaky', 'unexpected', 'skipped'].map(suite) }],
    errors: [{ message: 'No worker' }],
  };
  expect(readPlaywright(report)).toEqual({
    passed: 2,
    failures: ['No worker', 'c.spec.ts › unexpected › Timed out'],
    flaky: ['c.spec.ts › flaky › Timed out'],
  });
});

test('an error outside of any test is told with where it came from', () => {
  const { failures } = readStrayErrors([
    { message: 'gone', stack: 'Error: gone\n    at close (a.ts:1:2)', during: '/x/a.test.ts' },
  ]);
  expect(failures).toEqual(['/x/a.test.ts › an error outside of any test › Error: gone at close (a.ts:1:2)']);
});
