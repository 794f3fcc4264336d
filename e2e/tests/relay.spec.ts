import type { BrowserContext } from '@playwright/test';
import {
  test as base,
  expect,
  expectHeard,
  expectReady,
  press,
  release,
  roomPath,
  TALK_PATIENCE,
  talk,
  type World,
} from '../fixtures.ts';
import { type Relay, startRelay, useRelay } from '../harness/relay.ts';

/** A page renews its credentials 15 s after it got them at the earliest (REFRESH_MIN_MS of the mesh). */
const VALID_SECONDS = 20;

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

async function makePair({ api, admin }: World) {
  const people = [await api.person('Ray', admin.token), await api.person('Rita', admin.token)] as const;
  return { people, ...(await api.channel(admin, 'Relais', people)) };
}

test('with ICE_POLICY=relay voice goes through the relay alone, and no address of a member is told', async ({
  world,
  open,
}) => {
  const { rtcSession, people } = await makePair(world);
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

test('voice passes a relay that takes no UDP, as behind a firewall that lets out TCP alone', async ({
  world,
  open,
}) => {
  const relay = await startRelay(String(process.env.TURNSERVER_PATH), 'tcp');
  const prepare = (context: BrowserContext) => useRelay(context, { relay, validSeconds: 3_600, toldSeconds: 3_600 });
  const { rtcSession, people } = await makePair(world);
  const ray = await open(people[0], roomPath(rtcSession), { prepare });
  const rita = await open(people[1], roomPath(rtcSession), { prepare });
  await expectReady(ray, 2);
  await expectReady(rita, 2);
  await press(ray);
  await expectHeard(rita, 'up', 600);
  await release(ray);
  await relay.stop();
});

test('[LINK7] credentials that are over in the middle of a stay were renewed before: links come back through a relay that crashed', {
  tag: '@long',
}, async ({ world, open, relay }) => {
  const detour = { relay, validSeconds: VALID_SECONDS, toldSeconds: 1 };
  const prepare = (context: BrowserContext) => useRelay(context, detour);
  const { rtcSession, people } = await makePair(world);
  const ray = await open(people[0], roomPath(rtcSession), { prepare });
  const rita = await open(people[1], roomPath(rtcSession), { prepare });
  await expectReady(ray, 2);
  await expectReady(rita, 2);
  const overAt = Date.now() + 1_000 * VALID_SECONDS;
  // By the relay's own clock the credentials are over. Connections that it relays already would last ten minutes more,
  // so the test ends them.
  await expect.poll(() => Date.now() > overAt, { timeout: 60_000 }).toBe(true);
  await relay.restart();
  await talk(ray, () => expectHeard(rita, 'up', 600, TALK_PATIENCE));
  await release(ray);
});
