import { defineConfig } from '@playwright/test';
import { launchOptions } from './harness/browser.ts';

/** Each worker runs a server of its own (see fixtures.ts); the machine's cores are shared by browsers and servers. */
export default defineConfig({
  testDir: './tests',
  // scripts/e2e.ts says so when there is no relay.
  testIgnore: process.env.TURNSERVER_PATH === undefined ? '**/relay.spec.ts' : [],
  workers: 2,
  timeout: 60_000,
  forbidOnly: process.env.CI !== undefined,
  retries: 0,
  reporter: [['list'], ...(process.env.PLAYWRIGHT_JSON_OUTPUT_FILE === undefined ? [] : [['json'] as const])],
  expect: { timeout: 10_000 },
  use: {
    launchOptions,
    trace: 'retain-on-failure',
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
  },
});
