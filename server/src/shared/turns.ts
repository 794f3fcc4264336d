import { setImmediate as nextTurn } from 'node:timers/promises';

/** Others wait for their answer, and talkers for the floor, no longer than this. */
const TURN_MS = 8;

/**
 * For long work on this thread: call what it returns after each piece, and others have their turn when it is time.
 * @returns a function whose promise is settled when it is our turn again
 */
export function createTurns(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < TURN_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}
