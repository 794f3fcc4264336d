import { test as base, expect, expectHeard, expectReady, press, release, roomPath } from '../fixtures.ts';
import { type Relay, startRelay } from '../harness/relay.ts';

const test = base.extend<object, { relay: Relay }>({
  relay: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from a destructured argument
    async ({}, use) => {
      const relay = await startRelay(String(process.env.TURNSERVER_PATH));
      await use(relay);
      await relay.stop();
    },
    { scope: 'worker' },
  ],
  serverEnv: [
    async ({ relay }, use) => {
      await use({ TURN_URLS: relay.url, TURN_SECRET: relay.secret, ICE_POLICY: 'relay' });
    },
    { scope: 'worker' },
  ],
});

test('with ICE_POLICY=relay voice goes through the relay alone, and no address of a member is told', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const people = [await api.person('Ray', admin.token), await api.person('Rita', admin.token)] as const;
  const { rtcSession } = await api.channel(admin, 'Relais', people);
  const ray = await open(people[0], roomPath(rtcSession));
  const rita = await open(people[1], roomPath(rtcSession));
  const candidates: string[] = [];
  rita.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('getCandidate')) candidates.push(String(payload));
    }),
  );
  await rita.reload();
  await expectReady(ray, 2);
  await expectReady(rita, 2);
  await press(ray);
  await expectHeard(rita, 'up', 600);
  await release(ray);
  expect(candidates.length).toBeGreaterThan(0);
  for (const candidate of candidates) expect(candidate).not.toMatch(/typ (?:host|srflx)/u);
});
