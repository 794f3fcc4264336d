import { defineConfig } from '@playwright/test';
import { firefoxOptions, quickLaunchOptions, WITHOUT_WORKER } from './harness/browser.ts';

/** Programs that a test needs and that not every machine has: scripts/e2e.ts says so if one is missing. */
const NEEDED = {
  TURNSERVER_PATH: '**/relay.spec.ts',
  PYTHON_CLIENT: '**/python-client.spec.ts',
  PRESSEL_PROCESSES: '**/{several-processes,last-release}.spec.ts',
};
const ignored = Object.entries(NEEDED).flatMap(([name, file]) => (process.env[name] === undefined ? [file] : []));
/** Tests that sit out a long loss, for half a minute or more: `npm run test:processes` runs them, over three processes. */
const LONG = /@long/u;
/** The one file that runs in Firefox, and only there. */
const IN_FIREFOX = '**/firefox.spec.ts';

/**
 * Each worker runs a server of its own (see fixtures.ts); browsers and servers share the machine's cores. All limits
 * are generous: a test waits for what must come, and the benches measure how quickly it comes.
 */
export default defineConfig({
  testDir: './tests',
  ...(process.env.PRESSEL_PROCESSES === undefined ? { grepInvert: LONG } : {}),
  // A worker waits for a third of the time: for sound, or to see that nothing comes. With several processes each worker has that many
  // servers, a PostgreSQL and a Redis.
  workers: process.env.PRESSEL_PROCESSES === undefined ? 3 : 1,
  timeout: 300_000,
  forbidOnly: process.env.CI !== undefined,
  // Browsers on a machine that others use may miss a beat: a test that needed its second try is counted as flaky and
  // shown.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [['list'], ...(process.env.PLAYWRIGHT_JSON_OUTPUT_FILE === undefined ? [] : [['json'] as const])],
  expect: { timeout: 30_000 },
  projects: [
    // Firefox comes first, and is one file: at the end two workers would wait for it.
    ...(process.env.FIREFOX_PATH === undefined
      ? []
      : [
          {
            name: 'firefox',
            testMatch: IN_FIREFOX,
            use: { browserName: 'firefox' as const, launchOptions: firefoxOptions },
          },
        ]),
    {
      name: 'chromium',
      testIgnore: [...ignored, IN_FIREFOX],
      use: {
        browserName: 'chromium',
        launchOptions: quickLaunchOptions,
      },
    },
  ],
  use: {
    // Otherwise an act waits until the test's own limit for something that never comes: two such cost a run 20 minutes.
    actionTimeout: 60_000,
    // Recording costs a sixth of the time: `--trace on` when a failure has to be understood.
    trace: 'off',
    screenshot: 'only-on-failure',
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    // page.route doesn't see a worker's answers, and a worker's fetching disturbs counts: only install.spec.ts allows one.
    ...WITHOUT_WORKER,
  },
});
