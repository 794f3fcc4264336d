import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for the slowest machine: benches measure speed, tests don't. */
export const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Checks `isSo` repeatedly until it holds. @throws Error when it doesn't in time */
export async function waitUntil(isSo: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Waited ${patienceMs} ms in vain for ${isSo}`);
    await sleep(LOOK_EVERY_MS);
  }
}
