import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

const TESTS = '{src,test}/**/*.test.ts';
/** Those kill and stop processes for minutes: they are part of `npm run test:processes` alone. */
const FAULTS = 'test/faults/**';
const isOverProcesses = process.env.PRESSEL_PROCESSES !== undefined;

/** Tests of faults, and those of a test app: only they differ over several processes. `npm test` runs the others. */
function testsOverProcesses(): string[] {
  const cwd = import.meta.dirname;
  const servesApp = (file: string) => readFileSync(join(cwd, file), 'utf8').includes('buildTestApp(');
  return [`${FAULTS}/*.test.ts`, ...globSync(TESTS, { cwd }).filter(servesApp)];
}

export default defineConfig({
  test: {
    name: 'server',
    environment: 'node',
    include: isOverProcesses ? testsOverProcesses() : [TESTS],
    exclude: [...configDefaults.exclude, ...(isOverProcesses ? [] : [FAULTS])],
    globalSetup: ['./test/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // No assertion may depend on the machine's speed: by default a poll gives up after a second.
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Many of these tests wait for other processes or for a beat: two workers leave two cores idle for a third of the time.
    maxWorkers: 4,
    // Modules are loaded once a worker, not once a file: a third of the time. Tests keep nothing in module state.
    isolate: false,
    // Its workers are limited, so it runs by itself.
    sequence: { groupOrder: 1 },
  },
});
