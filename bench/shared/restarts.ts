import { takeHeard } from '@pressel/e2e/harness/page-audio';
import type { PresselProcess } from '@pressel/e2e/harness/server-process';
import { lastSound, longestGap, SAMPLE_RATE } from '@pressel/e2e/harness/voice-signal';
import type { Page } from 'playwright';
import { pause } from './presses.ts';

/** How long the talk goes on before a restart, and after it. */
const LISTEN_MS = 1_000;

/**
 * Two values for each restart in the middle of a talk, in ms: the longest time without sound at the listener, and how long the pages had no
 * link.
 */
export interface Restarts {
  gap: number[];
  away: number[];
}

/** The time after the last sound counts too: the talk was still on when the recording ended. */
const gapOf = (samples: Float32Array) =>
  Math.max(longestGap(samples), ((samples.length - lastSound(samples)) / SAMPLE_RATE) * 1000);

/** Restarts the server in the middle of a talk, as an operator does and by kill -9 in turn. */
export async function measureRestarts(
  talker: Page,
  listener: Page,
  server: PresselProcess,
  count: number,
): Promise<Restarts> {
  const restarts: Restarts = { gap: [], away: [] };
  for (let index = 0; index < count; index += 1) {
    await takeHeard(listener);
    await talker.bringToFront();
    await talker.mouse.down();
    await pause(LISTEN_MS);
    const stoppedAt = Date.now();
    await server.restart(index % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    for (const page of [talker, listener]) await page.locator('[data-room-lost]').waitFor({ state: 'detached' });
    restarts.away.push(Date.now() - stoppedAt);
    await pause(LISTEN_MS);
    const voices = (await takeHeard(listener)).map(({ samples }) => samples).filter((one) => lastSound(one) !== -1);
    restarts.gap.push(Math.min(Number.POSITIVE_INFINITY, ...voices.map(gapOf)));
    await talker.mouse.up();
    await pause(LISTEN_MS);
  }
  return restarts;
}
