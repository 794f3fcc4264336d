import { defineConfig } from '@playwright/test';
import { launchOptions } from './harness/browser.ts';

const LARGE = '**/large-room.spec.ts';
/** scripts/e2e.ts says so when there is no relay. */
const ignored = process.env.TURNSERVER_PATH === undefined ? ['**/relay.spec.ts'] : [];

/** Each worker runs a server of its own (see fixtures.ts); the machine's cores are shared by browsers and servers. */
export default defineConfig({
  testDir: './tests',
  workers: 2,
  timeout: 60_000,
  forbidOnly: process.env.CI !== undefined,
  // The machines of CI are shared and slow at times; what needed a second try is reported as flaky.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [['list'], ...(process.env.PLAYWRIGHT_JSON_OUTPUT_FILE === undefined ? [] : [['json'] as const])],
  expect: { timeout: 10_000 },
  // Thirteen browsers fill the machine: they have it for themselves, after everything else.
  projects: [
    { name: 'screens', testIgnore: [...ignored, LARGE] },
    { name: 'large', testMatch: LARGE, dependencies: ['screens'] },
  ],
  use: {
    launchOptions,
    trace: 'retain-on-failure',
    locale: 'fr-FR',
    timezoneId: 'Europe/Paris',
  },
});
