import type { Page } from '@playwright/test';
import { getAllChannels } from '@pressel/contract/channels';
import type { ParticipantId } from '@pressel/contract/ids';
import {
  test as base,
  expect,
  expectHeard,
  expectReady,
  heard,
  phonePath,
  release,
  roomPath,
  talk,
  talkButton,
  tiles,
} from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { type NativePeer, talkOn } from '../harness/native-peer.ts';
import { openSleepingBrowser, type SleepingBrowser } from '../harness/sleeping-browser.ts';
import { withholdFloor } from '../harness/withhold-floor.ts';
import { sayIn } from '../harness/words.ts';

// Unit tests check how soon a silence is noticed; these check on a real socket that it is noticed at all.

const say = sayIn('fr');
/** Packets of a second of voice. */
const PACKETS = 50;

const test = base.extend<{ laptop: SleepingBrowser }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
  laptop: async ({}, use) => {
    const laptop = await openSleepingBrowser();
    await use(laptop);
    await laptop.close();
  },
});

/** Three people in a channel: one on a page whose way to the server can stand still, two without a browser. */
const people = ['Lea', 'Tom', 'Zoe'] as const;

async function expectLinked(peers: readonly NativePeer[]): Promise<void> {
  const least = () => Math.min(...peers.map((peer) => peer.connectedTo().size));
  await expect.poll(least, { timeout: 90_000 }).toBe(people.length - 1);
}

/** Somebody says something, until a witness has heard a second of it. */
async function say1s(talker: NativePeer, witness: NativePeer): Promise<void> {
  witness.takeHeard();
  await talker.press();
  let count = 0;
  await expect
    .poll(() => {
      count += witness.takeHeard().get(talker.id)?.length ?? 0;
      return count;
    })
    .toBeGreaterThan(PACKETS);
  await talker.release();
  await expect.poll(() => witness.floor().talkers).toEqual([]);
}

/** Somebody talks until they are heard. */
async function expectToHear(page: Page, talker: NativePeer): Promise<void> {
  const stop = talkOn(talker);
  await expectHeard(page, 'down', 500);
  await stop();
}

/**
 * Waits until the page has said that the server doesn't answer, however soon it went on from there. The transport's own
 * check, half a minute later, only ever says that the link is lost.
 */
async function stallAndWait(page: Page, stall: () => void): Promise<void> {
  const isSaid = await page.evaluateHandle((text) => {
    const state = { isSaid: false };
    const look = () => {
      state.isSaid ||= document.body.textContent.includes(text);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    return state;
  }, say('voice.notice.silent'));
  stall();
  await expect.poll(() => isSaid.evaluate((state) => state.isSaid)).toBe(true);
}

const missed = (page: Page, count: number) =>
  page.getByRole('alert').filter({ hasText: say(`voice.notice.missed_${count === 1 ? 'one' : 'other'}`, { count }) });

test('[TALK101] [TALK104] a socket that stands still is told, and how many talks were missed meanwhile', async ({
  world,
  open,
  enter,
  path,
}) => {
  const { api, admin } = world;
  const [lea, tom, zoe] = await Promise.all(people.map((name) => api.person(name, admin.token)));
  if (lea === undefined || tom === undefined || zoe === undefined) throw new Error('Nobody is there');
  const { rtcSession } = await api.channel(admin, 'Stillstand', [lea, tom, zoe]);
  const page = await open(lea, roomPath(rtcSession), { context: { baseURL: path.origin } });
  const talker = await enter(tom, rtcSession);
  const witness = await enter(zoe, rtcSession);
  await expectReady(page, 3);
  await expectLinked([talker, witness]);
  await expectToHear(page, talker);

  await stallAndWait(page, path.stall);
  await expect(talkButton(page)).toHaveAttribute('data-state', 'no_link');
  await expect(page.locator('[data-kind=lost]').filter({ hasText: say('voice.notice.silent') })).toBeVisible();
  await heard(page);
  for (const one of [talker, witness]) await say1s(one, one === talker ? witness : talker);
  expect(await heard(page), 'nobody has the floor as far as the page knows').toEqual({ up: 0, down: 0 });
  await path.resume();

  await expectReady(page, 3);
  await expect(missed(page, 2)).toBeVisible();
  await expect(missed(page, 2)).toContainText(tom.name);
  await expect(missed(page, 2)).toContainText(zoe.name);
  await expectToHear(page, talker);
  await expect(missed(page, 2), 'what is heard is not missed').toBeVisible();
  await page.getByRole('button', { name: say('voice.notice.understood') }).click();
  await expect(missed(page, 2)).toHaveCount(0);
});

/** Notes when the page's talk button leaves the state `talking`, by the machine's clock. */
const watchTalkEnd = (page: Page) =>
  talkButton(page).evaluateHandle((button) => {
    const end = { at: 0 };
    new MutationObserver(() => {
      if (end.at === 0 && button.getAttribute('data-state') !== 'talking') end.at = Date.now();
    }).observe(button, { attributes: true });
    return end;
  });

test('[TALK46] a page whose socket stands still closes its microphone before the next in line gets the floor', async ({
  world,
  open,
  enter,
  path,
}) => {
  const { api, admin } = world;
  const [lea, tom] = await Promise.all(people.slice(0, 2).map((name) => api.person(name, admin.token)));
  if (lea === undefined || tom === undefined) throw new Error('Nobody is there');
  const { rtcSession } = await api.channel(admin, 'Ablösung', [lea, tom]);
  const page = await open(lea, roomPath(rtcSession), { context: { baseURL: path.origin } });
  const next = await enter(tom, rtcSession);
  await expectReady(page, 2);
  await talk(page);
  const end = await watchTalkEnd(page);
  const waiting = next.press();
  await expect.poll(() => next.floor().queue).toEqual([next.id]);
  path.stall();
  await waiting;
  const grantedAt = Date.now();
  await expect(talkButton(page)).not.toHaveAttribute('data-state', 'talking');
  expect(await end.evaluate(({ at }) => at)).toBeLessThanOrEqual(grantedAt);
  await next.release();
  await path.resume();
});

test('[TALK104] [TALK110] on a phone that shows another page, the bar of the stay says how many talks were missed', async ({
  world,
  open,
  enter,
  path,
}) => {
  const { api, admin } = world;
  const [lea, tom, zoe] = await Promise.all(people.map((name) => api.person(name, admin.token)));
  if (lea === undefined || tom === undefined || zoe === undefined) throw new Error('Nobody is there');
  const { rtcSession } = await api.channel(admin, 'Nebenbei', [lea, tom, zoe]);
  const viewport = { width: 390, height: 844 };
  const page = await open(lea, roomPath(rtcSession), { context: { baseURL: path.origin, viewport } });
  const talker = await enter(tom, rtcSession);
  const witness = await enter(zoe, rtcSession);
  await expectReady(page, 3);
  await expectLinked([talker, witness]);
  await page.getByRole('button', { name: say('voice.room.back') }).click();
  const bar = page.locator('[data-stay-bar]');
  await expect(bar).toBeVisible();
  await expectToHear(page, talker);

  await stallAndWait(page, path.stall);
  for (const one of [talker, witness]) await say1s(one, one === talker ? witness : talker);
  await path.resume();

  await expect(bar.getByRole('alert')).toContainText(say('voice.notice.missed_other', { count: 2 }));
  await expect(bar.getByRole('alert')).toContainText(tom.name);
  await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
  expect(await page.evaluate(() => document.documentElement.scrollWidth), 'nothing sticks out').toBe(viewport.width);
  for (const control of await bar.getByRole('button').all()) await expect(control).toBeInViewport({ ratio: 1 });
  await expectAccessible(page, 'the bar of a stay in which talks were missed');

  await bar.getByRole('link').click();
  await expect(bar).toHaveCount(0);
  await page.getByRole('button', { name: say('voice.notice.understood') }).click();
  await page.getByRole('button', { name: say('voice.room.back') }).click();
  await expect(bar).toBeVisible();
  await expect(missed(page, 2), 'once it is read, it is read everywhere').toHaveCount(0);
});

test('[TALK102] [TALK103] [PRES30] the page takes another way by itself, hears who talks, and nobody sees it twice', async ({
  world,
  open,
  enter,
  path,
}) => {
  const { api, admin } = world;
  const [lea, tom, zoe] = await Promise.all(people.map((name) => api.person(name, admin.token)));
  if (lea === undefined || tom === undefined || zoe === undefined) throw new Error('Nobody is there');
  const { rtcSession } = await api.channel(admin, 'Ausweg', [lea, tom, zoe]);
  // The room loads parts ahead over the path that is cut.
  const cut = { context: { baseURL: path.origin }, expectedErrors: /net::ERR_SOCKET_NOT_CONNECTED/u };
  const page = await open(lea, phonePath(rtcSession), cut);
  const talker = await enter(tom, rtcSession);
  const witness = await enter(zoe, rtcSession);
  await expectReady(page, 3);
  await expectLinked([talker, witness]);
  /** The page's participant ids, as the server told a bystander. */
  const pages = () => [...witness.others()].filter((id): id is ParticipantId => id !== talker.id);
  const before = pages();

  await stallAndWait(page, () => {
    path.stall();
    path.passNewcomers();
  });
  await expectToHear(page, talker);
  await expect(tiles(page)).toHaveCount(3);
  expect(pages(), 'the same participant as before').toEqual(before);
  await expectReady(page, 3);
});

test('[TALK115] [TALK116] a page that the server’s news don’t reach hears who talks by the link, and nobody else', async ({
  world,
  open,
  enter,
}) => {
  const { api, admin } = world;
  const [lea, tom, zoe] = await Promise.all(people.map((name) => api.person(name, admin.token)));
  if (lea === undefined || tom === undefined || zoe === undefined) throw new Error('Nobody is there');
  const { rtcSession } = await api.channel(admin, 'Umweg', [lea, tom, zoe]);
  const page = await open(lea, roomPath(rtcSession), { voice: 'up', prepare: withholdFloor });
  const member = await open(tom, roomPath(rtcSession), { voice: 'up' });
  const chief = await open(admin, roomPath(rtcSession), { voice: 'down' });
  for (const one of [page, member, chief]) await expectReady(one, 3);

  await talk(member, () => expectHeard(page, 'up', 500));
  await expect(talkButton(page)).toHaveAttribute('data-state', 'busy');
  await talk(chief, () => expectHeard(page, 'down', 500));
  await heard(page);
  await expectHeard(page, 'down', 500);
  expect((await heard(page)).up, 'who was pre-empted is heard no more').toBe(0);
  await release(chief);
  await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
  await release(member);

  // A client without the channel for news: the page knows nothing of its talk, and plays nothing of it.
  const foreign = await enter(zoe, rtcSession);
  await expectReady(page, 4);
  await expect.poll(() => foreign.connectedTo().size, { timeout: 90_000 }).toBe(3);
  await heard(page);
  const stop = talkOn(foreign);
  await expectHeard(member, 'down', 500);
  expect(await heard(page)).toEqual({ up: 0, down: 0 });
  await stop();
  await talk(member, () => expectHeard(page, 'up', 500));
  await release(member);
});

test('[PRES26] [TALK104] a laptop that falls asleep leaves the room, and is back with what it missed when it wakes', {
  tag: '@long',
}, async ({ world, open, enter, laptop }) => {
  const { api, admin } = world;
  const [lea, tom, zoe] = await Promise.all(people.map((name) => api.person(name, admin.token)));
  if (lea === undefined || tom === undefined || zoe === undefined) throw new Error('Nobody is there');
  const { id, rtcSession } = await api.channel(admin, 'Schlaf', [lea, tom, zoe]);
  const page = await open(lea, roomPath(rtcSession), { browser: laptop.browser });
  const talker = await enter(tom, rtcSession);
  const witness = await enter(zoe, rtcSession);
  const inRoom = async () =>
    (await api.call(getAllChannels, {}, admin.token)).res.find((channel) => channel.id === id)?.connected;
  await expectReady(page, 3);
  await expectLinked([talker, witness]);
  await expectToHear(page, talker);
  expect(await inRoom()).toBe(3);

  laptop.sleep();
  await expect.poll(inRoom, { timeout: 90_000 }).toBe(2);
  await expect.poll(() => witness.others().size, 'its tile is gone too').toBe(1);
  for (const one of [talker, witness]) await say1s(one, one === talker ? witness : talker);
  laptop.wake();

  await expectReady(page, 3);
  await expect(missed(page, 2)).toBeVisible();
  await expectToHear(page, talker);
  expect(await inRoom()).toBe(3);
  witness.takeHeard();
  await talk(page, async () => {
    await expect.poll(() => [...witness.takeHeard().values()].flat().length, { timeout: 20_000 }).toBeGreaterThan(0);
  });
  await release(page);
});
