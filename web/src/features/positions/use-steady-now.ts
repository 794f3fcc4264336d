import { useSnapshot } from '#src/shared/use-snapshot.ts';

/** The page's steady clock, ms, by which positions are dated. */
export const steadyNow = (): number => performance.now();

/** Ages are shown in minutes. */
const STEP_MS = 10_000;

const clock = {
  getSnapshot: () => Math.ceil(steadyNow() / STEP_MS) * STEP_MS,
  subscribe(listener: () => void) {
    const timer = setInterval(listener, STEP_MS);
    return () => clearInterval(timer);
  },
};

/** The steady clock for rendering, a few seconds coarse. */
export const useSteadyNow = (): number => useSnapshot(clock);
