import { describe, test } from 'vitest';

/** How many processes serve a test app. `npm run test:processes` sets it to three; it is one otherwise. */
export const PROCESSES = Number(process.env.PRESSEL_PROCESSES ?? 1);

/**
 * Tests of what a single process has for itself: `alone('its clock is ours').test('…', …)`. They are left out where several processes serve
 * each app, which could not do what they ask for.
 * @param _why for whoever reads the test: what of it is one process's own
 */
export const alone = (_why: string) => ({
  test: test.skipIf(PROCESSES > 1),
  describe: describe.skipIf(PROCESSES > 1),
});
