import { defineConfig } from '@playwright/test';
import { firefoxOptions, launchOptions, WITHOUT_WORKER } from './harness/browser.ts';

/** What a test needs that not every machine has: scripts/e2e.ts says so when it isn't there. */
const NEEDED = {
  TURNSERVER_PATH: '**/relay.spec.ts',
  PYTHON_CLIENT: '**/python-client.spec.ts',
  PRESSEL_PROCESSES: '**/several-processes.spec.ts',
};
const ignored = Object.entries(NEEDED).flatMap(([name, file]) => (process.env[name] === undefined ? [file] : []));
/** What outlives a long loss, for half a minute or more: `npm run test:processes` runs it, over three processes. */
const LONG = /@long/u;
/** The one file that runs in Firefox, and there alone. */
const IN_FIREFOX = '**/firefox.spec.ts';

/**
 * Pages of tests live for seconds: code is not made faster for later, and no process is kept for the next page. That saves a
 * sixth of the work. A list of features replaces Playwright's, so what that needs is in it again.
 */
const FOR_SHORT_LIVES = [
  '--js-flags=--no-turbofan --no-maglev',
  `--disable-features=${[
    'SpareRendererForSitePerProcess',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'HttpsUpgrades',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
  ].join(',')}`,
];

/**
 * Each worker runs a server of its own (see fixtures.ts); the machine's cores are shared by browsers and servers. All
 * limits are generous: a test waits for what must come, and how quickly it comes is told by the benches.
 */
export default defineConfig({
  testDir: './tests',
  ...(process.env.PRESSEL_PROCESSES === undefined ? { grepInvert: LONG } : {}),
  // A third of the time a worker waits: for sound, or for what must not come.
  workers: 3,
  timeout: 300_000,
  forbidOnly: process.env.CI !== undefined,
  // Browsers on a machine that others use may miss a beat: what needed its second try is counted as flaky and shown.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [['list'], ...(process.env.PLAYWRIGHT_JSON_OUTPUT_FILE === undefined ? [] : [['json'] as const])],
  expect: { timeout: 30_000 },
  projects: [
    // First, and one file: at the end two workers would wait for it.
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
        launchOptions: {
          ...launchOptions,
          args: [...launchOptions.args, ...FOR_SHORT_LIVES],
          // Without the parts that draw its window the same engine takes two thirds of the time.
          executablePath: process.env.CHROMIUM_SHELL_PATH ?? launchOptions.executablePath,
        },
      },
    },
  ],
  use: {
    // Else what is never there is waited for until the test's own limit: two such cost a run 20 minutes.
    actionTimeout: 60_000,
    // Recording costs a sixth of the time: `--trace on` when a failure has to be understood.
    trace: 'off',
    screenshot: 'only-on-failure',
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
    // Answers of a worker pass by page.route, and its fetching disturbs what is counted: install.spec.ts alone allows it.
    ...WITHOUT_WORKER,
  },
});
