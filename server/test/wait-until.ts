import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for the slowest machine: how quick something is, is told by the benches. */
export const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Looks again and again until `isSo`. @throws Error when it did not come true in time */
export async function waitUntil(isSo: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Waited ${patienceMs} ms in vain for ${isSo}`);
    await sleep(LOOK_EVERY_MS);
  }
}
