import type { Clock } from './platform.ts';

/** The page's own. */
export const browserClock = (): Clock => ({
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});
