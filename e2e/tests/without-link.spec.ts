import type { Page } from '@playwright/test';
import { getAllActivities } from '@pressel/contract/activities';
import {
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  press,
  release,
  roomPath,
  talk,
  talkButton,
  test,
  tiles,
} from '../fixtures.ts';
import { takeHeard } from '../harness/page-audio.ts';
import { longestGap, recognise } from '../harness/voice-signal.ts';
import { sayIn } from '../harness/words.ts';

// Voice goes on where the server can't be reached [TALK153 to TALK155].

const say = sayIn('fr');
/** Somebody would notice a longer time without sound. */
const GAP_MAX_MS = 300;

/** Returns what a page has heard since `takeHeard`, and for how long, ms. */
async function heardSince(page: Page, since: number) {
  // The buffers still hold some of the voice that has arrived until now.
  const ms = Date.now() - since - 1_000;
  return { ms, voices: (await takeHeard(page)).map(({ samples }) => samples).filter(({ length }) => length > 0) };
}

/** Expects that a voice has no gap, and fills nearly all of the time. This takes seconds of processor time on a busy machine. */
function requireNoGap({ ms, voices: [talker, ...others] }: Awaited<ReturnType<typeof heardSince>>, what: string): void {
  if (talker === undefined) throw new Error(`${what}: nothing was heard`);
  expect(longestGap(talker), what).toBeLessThan(GAP_MAX_MS);
  expect(recognise(talker).up, what).toBeGreaterThan(0.8 * ms);
  expect(others, what).toEqual([]);
}

/** Expects that the voice heard since `takeHeard` has no gap, and fills nearly all of that time. */
const expectNoGap = async (page: Page, since: number, what: string): Promise<void> =>
  requireNoGap(await heardSince(page, since), what);

/** Lets something go on for some time; this is no wait for something to happen. */
const goOn = (page: Page, ms: number) => page.waitForTimeout(ms);

const expectCut = (page: Page) => expect(page.getByText(say('voice.detail.cut')).first()).toBeVisible();
const expectBack = (page: Page) => expect(page.locator('[data-room-lost]')).toHaveCount(0, { timeout: 30_000 });

test('[TALK150] [TALK153] [TALK161] a talk goes on, heard without a gap, while the server is restarted, and while it is killed', async ({
  world,
  open,
}) => {
  const { api, admin, server } = world;
  const [hugo, mia] = [await api.person('Hugo', admin.token), await api.person('Mia', admin.token)];
  const { id, rtcSession } = await api.channel(admin, 'Relais', [hugo, mia]);
  // An idle page loads parts ahead, and may ask for one as the server ends.
  const ending = { expectedErrors: /status of 503/u };
  const talker = await open(hugo, roomPath(rtcSession), ending);
  const listener = await open(mia, roomPath(rtcSession), { voice: 'down', ...ending });
  const desk = await open(admin, `/board?rooms=${id}`, { voice: 'down', ...ending });
  for (const page of [talker, listener]) await expectReady(page, 3);
  const pages = [talker, listener, desk];
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await talk(talker, () => expectHeard(listener, 'up', 300));
    await takeHeard(listener);
    const since = Date.now();
    await server.stop(signal);
    await expectCut(talker);
    await server.start();
    for (const page of [talker, listener]) await expectBack(page);
    await expect(desk.locator('[data-room] [data-state=no_link]')).toHaveCount(0, { timeout: 30_000 });
    // This is read once, without waiting: as soon as the last page is back, they agree.
    const faces = await Promise.all(
      pages.map((page) => page.locator('[data-talk-button]').first().getAttribute('data-state')),
    );
    expect(faces, `after a ${signal}`).toEqual(['talking', 'busy', 'busy']);
    await goOn(listener, 1_000);
    const heard = await heardSince(listener, since);
    await expect(talkButton(talker)).toHaveAttribute('data-state', 'talking');
    // Nobody else gets the floor until it is released.
    await press(listener);
    await expect(talkButton(listener)).toHaveAttribute('data-state', 'queued');
    await release(talker);
    await expect(talkButton(listener)).toHaveAttribute('data-state', 'talking');
    await expectHeard(talker, 'down', 500);
    await release(listener);
    await expect(talkButton(talker)).toHaveAttribute('data-state', 'idle');
    // Looked at only now, because the time of the talk runs meanwhile.
    requireNoGap(heard, `over a ${signal}`);
  }
});

test('[TALK150] [TALK153] a talk goes on while the server is away for 15 s after a kill, and nobody leaves the room', {
  tag: '@long',
}, async ({ world, open }) => {
  const { api, admin, server } = world;
  const [hugo, mia] = [await api.person('Hugo', admin.token), await api.person('Mia', admin.token)];
  const { id, rtcSession } = await api.channel(admin, 'Lenteur', [hugo, mia]);
  const talker = await open(hugo, roomPath(rtcSession));
  const listener = await open(mia, roomPath(rtcSession), { voice: 'down' });
  for (const page of [talker, listener]) await expectReady(page, 2);
  await talk(talker, () => expectHeard(listener, 'up', 300));
  await takeHeard(listener);
  const since = Date.now();
  await server.stop('SIGKILL');
  await expectCut(talker);
  await goOn(listener, 15_000);
  await server.start();
  for (const page of [talker, listener]) await expectBack(page);
  await expect(talkButton(talker)).toHaveAttribute('data-state', 'talking');
  await expect(talkButton(listener)).toHaveAttribute('data-state', 'busy');
  await expectNoGap(listener, since, 'over 15 s without a server');
  await release(talker);
  for (const page of [talker, listener]) await expectReady(page, 2);
  const types = ['channel_join', 'channel_leave', 'connexion_lost'] as const;
  const { activities } = (await api.call(getAllActivities, { channelId: id, types: [...types] }, admin.token)).res;
  expect(activities.map(({ type }) => type)).toEqual(['channel_join', 'channel_join']);
});

test('[TALK153] [PRES30] a listener whose link is lost for ten seconds goes on hearing; a talker is revoked after the lease', {
  tag: '@long',
}, async ({ world, open, path }) => {
  const { api, admin } = world;
  const [hugo, mia] = [await api.person('Hugo', admin.token), await api.person('Mia', admin.token)];
  const { rtcSession } = await api.channel(admin, 'Coupure', [hugo, mia]);
  const near = await open(hugo, roomPath(rtcSession));
  const far = await open(mia, roomPath(rtcSession), { voice: 'down', context: { baseURL: path.origin } });
  await expectReady(near, 2);
  await expectReady(far, 2);
  await talk(near, () => expectHeard(far, 'up', 300));
  await takeHeard(far);
  const since = Date.now();
  await path.cut();
  await expect(far.locator('[data-room-lost]')).toBeVisible();
  await goOn(far, 10_000);
  await path.resume();
  await expectBack(far);
  await goOn(far, 500);
  await expectNoGap(far, since, 'over a lost link');
  await expect(tiles(near), 'nobody left').toHaveCount(2);
  await release(near);
  await expectReady(near, 2);
  await expectReady(far, 2);

  await talk(far, () => expectHeard(near, 'down', 300));
  await path.cut();
  await expectCut(far);
  await expectSilence(near);
  await path.resume();
  await expect(talkButton(far)).toHaveAttribute('data-state', 'revoked', { timeout: 30_000 });
  await release(far);
  await expectReady(near, 2);
});

test('[TALK115] [TALK153] on a page whose socket stands still for 30 s all four talks are heard', {
  tag: '@long',
}, async ({ world, open, path }) => {
  const { api, admin } = world;
  const [hugo, zoe, mia] = [
    await api.person('Hugo', admin.token),
    await api.person('Zoe', admin.token),
    await api.person('Mia', admin.token),
  ];
  const { rtcSession } = await api.channel(admin, 'Immobile', [hugo, zoe, mia]);
  const talkers = [
    { page: await open(hugo, roomPath(rtcSession)), voice: 'up' },
    { page: await open(zoe, roomPath(rtcSession), { voice: 'down' }), voice: 'down' },
  ] as const;
  const page = await open(mia, roomPath(rtcSession), { context: { baseURL: path.origin } });
  for (const one of [page, ...talkers.map((talker) => talker.page)]) await expectReady(one, 3);
  const stalledAt = Date.now();
  path.stall();
  for (const turn of [0, 1, 2, 3]) {
    await goOn(page, Math.max(stalledAt + 2_000 + turn * 8_000 - Date.now(), 0));
    const talker = talkers[turn % 2 === 0 ? 0 : 1];
    await talk(talker.page, () => expectHeard(page, talker.voice, 500, { timeout: 15_000 }));
    await release(talker.page);
    await expectSilence(page);
  }
  await goOn(page, Math.max(stalledAt + 30_000 - Date.now(), 0));
  await path.resume();
  await expectReady(page, 3);
  await expect(page.getByText(say('voice.notice.understood')), 'nothing was missed').toHaveCount(0);
});
