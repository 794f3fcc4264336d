import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work on the event loop, ms: it delays other answers, and the floor's. */
const SLICE_MS = 2;

/**
 * For long loops on this thread: await the returned function after each step.
 * @returns a function that yields to the event loop when SLICE_MS have passed since the last yield
 */
export function createYielder(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < SLICE_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}
