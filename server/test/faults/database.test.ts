import { RESUME_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { waitUntil } from '../wait-until.ts';
import { type Crowd, gather } from './crowd.ts';

/** Enough time for PostgreSQL to recover from a kill. */
const RECOVERY_MS = 90_000;

describe.skipIf(inject('redis') === null)('PostgreSQL', { timeout: 300_000 }, () => {
  let crowd: Crowd;
  beforeEach(async () => {
    crowd = await gather(8, { count: 3 });
  });
  afterEach(() => crowd.close());

  test('[PROC58] killed while people talk and write: nothing acknowledged is lost, and nobody holds a floor that is not theirs', async () => {
    crowd.begin();
    for (let round = 0; round < 3; round += 1) {
      const [granted, sent] = [crowd.granted(), crowd.sent()];
      await waitUntil(() => crowd.granted() > granted + 5 && crowd.sent() > sent + 5, RECOVERY_MS);
      crowd.processes.killDatabase();
    }
    const [granted, sent] = [crowd.granted(), crowd.sent()];
    await waitUntil(() => crowd.granted() > granted + 10 && crowd.sent() > sent + 10, RECOVERY_MS);
    await crowd.end();
    await crowd.check();
    // Failed calls are told to try again.
    expect(crowd.refused().filter((why) => !/: 503 .*retryAfterSeconds/u.test(why))).toEqual([]);
  });
});

describe.skipIf(inject('redis') === null)('the route to PostgreSQL', { timeout: 300_000 }, () => {
  let crowd: Crowd;
  beforeEach(async () => {
    crowd = await gather(8, { count: 3, cluster: inject('cluster'), isDatabaseFar: true });
  });
  afterEach(() => crowd.close());

  test('[PROC110] drops all packets: calls answer 503, and afterwards all is as before', async () => {
    const hear = (hears: boolean) => {
      for (const server of crowd.processes.servers) server.hearsDatabase(hears);
    };
    crowd.begin();
    await waitUntil(() => crowd.granted() > 5 && crowd.sent() > 5);
    hear(false);
    await waitUntil(() => crowd.refused().length > 1, RECOVERY_MS);
    hear(true);
    const [granted, sent] = [crowd.granted(), crowd.sent()];
    await waitUntil(() => crowd.granted() > granted + 10 && crowd.sent() > sent + 10, RECOVERY_MS);
    await crowd.end();
    await crowd.check();
    expect(crowd.refused().filter((why) => !/: 503 .*retryAfterSeconds/u.test(why))).toEqual([]);
  });

  test('[PROC111] drops all packets of one process: its clients go to another one, as the same participants, and talk there', async () => {
    for (const [index, server] of crowd.processes.servers.entries()) {
      const cutAt = performance.now();
      server.hearsDatabase(false);
      for (const page of crowd.pages) {
        const presses = async () => (await page.press().catch(() => null))?.type === 'granted';
        await waitUntil(presses, RECOVERY_MS);
        await page.release();
      }
      // Once for longer than a participant is kept for its client, who lives at another process.
      await waitUntil(() => index > 0 || performance.now() - cutAt > 2 * RESUME_MS, RECOVERY_MS);
      if (index === 0) {
        const readiness = await fetch(`${server.origin}/readyz`);
        expect([readiness.status, await readiness.json()]).toMatchObject([503, { checks: { cut_off: 'failed' } }]);
        expect((await fetch(`${server.origin}/socket.io/?EIO=4&transport=polling`)).status).toBe(503);
      }
      server.hearsDatabase(true);
      await waitUntil(async () => (await fetch(`${server.origin}/readyz`)).ok, RECOVERY_MS);
    }
    await crowd.end();
    await crowd.check();
    expect(crowd.pages.flatMap((page) => page.of('user_exit'))).toEqual([]);
    expect(crowd.pages.map(({ ids }) => ids.size)).toEqual(crowd.pages.map(() => 1));
  });
});
