import { FLOOR_BUSY_MS, FLOOR_LEASE_MS, FLOOR_RENEW_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { pingsOf, wireOf } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';

let t: TestApp;
let team: Team;
/** The floor's clock, advanced only by tests. */
let steady: number;
beforeEach(async () => {
  steady = 1_000;
  t = await buildTestApp({ steadyNow: () => steady });
  team = await makeTeam(t);
});
afterEach(async () => {
  await t.close();
  expect(t.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test('[TALK33] a page that renews is not pinged; one that does not keeps its floor while its browser answers', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const pings = pingsOf(ana);
  await ana.send('floor_request', { seq: 1, queue: true });
  for (let renewal = 0; renewal < 4; renewal += 1) {
    steady += FLOOR_RENEW_MS;
    await ana.send('floor_renew', { seq: 1 });
  }
  expect(pings.count).toBe(0);
  const step = 2 * FLOOR_RENEW_MS;
  for (let waited = step; waited < FLOOR_BUSY_MS - step; waited += step) {
    const before = pings.count;
    steady += step;
    await waitUntil(() => pings.count > before);
    // The answer comes after the pong, which the server has therefore read.
    await ana.send('floor_renew', { seq: 99 });
  }
  const { state } = await enterRoom(t, team.admin, 'Nord');
  expect(state.floor.talkers).toMatchObject([{ id: ana.id }]);
  steady += 3 * step;
  expect(await ana.next('floor_reply')).toMatchObject({ type: 'revoked', reason: 'lease_expired' });
});

test('[TALK11] [TALK33] a link that is dead with its socket open loses the floor after a lease as before', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterRoom(t, team.bo, 'Nord');
  await ana.send('floor_request', { seq: 1, queue: true });
  wireOf(ana).pause();
  steady += 2 * FLOOR_RENEW_MS;
  await bo.send('ice_config', {});
  steady += FLOOR_LEASE_MS - 2 * FLOOR_RENEW_MS;
  expect(await bo.next('onMicStateChanged', ({ micState }) => !micState)).toMatchObject({ id: ana.id });
});
