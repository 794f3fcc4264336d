import { describe, test } from 'vitest';

/** How many processes serve a test app. `npm run test:processes` sets it to three; otherwise it is one. */
export const PROCESSES = Number(process.env.PRESSEL_PROCESSES ?? 1);

/**
 * Tests of things that a single process has for itself: `alone('its clock is ours').test('…', …)`. They are skipped where several
 * processes serve each app, because those can't do what these tests need.
 * @param _why says to readers of the test what belongs to one process alone
 */
export const alone = (_why: string) => ({
  test: test.skipIf(PROCESSES > 1),
  describe: describe.skipIf(PROCESSES > 1),
});
