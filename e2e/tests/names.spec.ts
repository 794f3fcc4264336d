import type { Page } from '@playwright/test';
import { logIn, signUpUser } from '@pressel/contract/auth';
import {
  channelsPath,
  expect,
  expectReady,
  phonePath,
  release,
  roomPath,
  TALK_PATIENCE,
  talk,
  talkButton,
  test,
  tiles,
  usersPath,
  type World,
} from '../fixtures.ts';
import { PASSWORD, type Person } from '../harness/api.ts';
import { turnTo } from '../harness/tour.ts';

/** Names that strain a layout: long without a place to break, from right to left, beyond letters, long with spaces. */
const NAMES = [
  `Anne${'Marguerite'.repeat(9)}Louise`,
  'فاطمة الزهراء عبد الرحمن',
  '👩🏽‍🚒 Zoë 🚒🚒🚒',
  `${'Jean Baptiste '.repeat(7)}II`,
] as const;
const CHANNEL = `${'Équipe'.repeat(15)} Est`;

/** Wide, desk, and two phones: the talk button's least size in px (product: 160 on a desk, 220 on a phone). */
const VIEWPORTS = [
  { width: 1600, height: 900, least: 160 },
  { width: 1280, height: 720, least: 160 },
  { width: 390, height: 844, least: 220 },
  { width: 360, height: 640, least: 220 },
] as const;

async function personNamed({ api, admin, own }: World, firstName: string, index: number): Promise<Person> {
  const lastName = firstName.slice(0, 40);
  const email = `${own(`nom${index}.`).replace(' ', '')}@example.org`;
  const { user } = await api.call(signUpUser, { firstName, lastName, email, password: PASSWORD }, admin.token);
  const session = await api.call(logIn, { user_email: email, user_password: PASSWORD });
  return { id: user.id, firstName, lastName, name: `${firstName} ${lastName}`, email, token: session.user.authToken };
}

/** Expects that nothing scrolls sideways, neither the page nor a part of it that the page cuts off. */
async function expectNothingTooWide(page: Page, where: string): Promise<void> {
  const spill = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(spill, { message: `${where} is too wide` }).toBeLessThanOrEqual(0);
}

/** Tries every size in turn, once something is shown. */
async function expectFits(page: Page, shown: string, where: string): Promise<void> {
  await expect(page.getByText(shown).first()).toBeVisible();
  for (const { width, height } of VIEWPORTS) {
    await page.setViewportSize({ width, height });
    await expectNothingTooWide(page, `${where} at ${width} px`);
  }
}

async function expectButtonAtHand(page: Page, least: number, where: string): Promise<void> {
  await expect(talkButton(page), where).toBeInViewport({ ratio: 1 });
  // A page that was made narrower takes its new form a moment later.
  const size = async () => {
    const box = await talkButton(page).boundingBox();
    return Math.min(box?.width ?? 0, box?.height ?? 0);
  };
  await expect.poll(size, where).toBeGreaterThanOrEqual(least);
}

test('names of any kind and size fit every screen, and the talk button stays whole and large', async ({
  world,
  open,
}) => {
  const { api, admin, own } = world;
  const people: Person[] = [];
  for (const [index, name] of NAMES.entries()) people.push(await personNamed(world, name, index));
  const { rtcSession } = await api.channel(admin, CHANNEL, people);
  const [bearer] = people;
  if (bearer === undefined) throw new Error('Nobody has a long name');
  const mark = own('').trim();
  const page = await open(admin, channelsPath(mark));
  await expectFits(page, 'Équipe', 'channels');
  await turnTo(page, usersPath(mark));
  await expectFits(page, 'Zoë', 'users');
  await turnTo(page, '/channelsList?panel=create');
  await page.getByRole('dialog').getByRole('searchbox').fill(mark);
  await expectFits(page, 'Zoë', 'a new channel');
  const long = await open(bearer, '/dashboard');
  await expectFits(long, 'Équipe', 'dashboard');

  await turnTo(page, roomPath(rtcSession));
  await turnTo(long, phonePath(rtcSession));
  const others = await Promise.all(people.slice(1).map((person) => open(person, phonePath(rtcSession))));
  await long.setViewportSize({ width: 360, height: 640 });
  for (const one of [page, long, ...others]) await expectReady(one, NAMES.length + 1);
  for (const { width, height, least } of VIEWPORTS) {
    await page.setViewportSize({ width, height });
    const where = `at ${width} × ${height}`;
    await expectButtonAtHand(page, least, where);
    await expectNothingTooWide(page, where);
    await talk(page, () => expect(talkButton(long)).toHaveAttribute('data-state', 'busy', TALK_PATIENCE));
    await expectButtonAtHand(page, least, `${where}, talking`);
    await release(page);
    await expect(talkButton(long)).toHaveAttribute('data-state', 'idle');
    await talk(long, () =>
      expect(talkButton(page), 'the name of who talks is told').toContainText('Marguerite', TALK_PATIENCE),
    );
    await expectButtonAtHand(page, least, `${where}, busy`);
    await expectNothingTooWide(page, `${where}, busy`);
    await expectButtonAtHand(long, 220, 'the phone room');
    await expectNothingTooWide(long, 'the phone room');
    await release(long);
    await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
    // Each name stays inside its own tile.
    const strays = await tiles(page).evaluateAll((all) =>
      all
        .filter((tile) => {
          const { left, right } = tile.getBoundingClientRect();
          return [...tile.querySelectorAll('*')].some((part) => {
            const box = part.getBoundingClientRect();
            return (
              part.checkVisibility() &&
              getComputedStyle(part).display !== 'inline' &&
              (box.left < left - 1 || box.right > right + 1)
            );
          });
        })
        .map((tile) => tile.textContent),
    );
    expect(strays, where).toEqual([]);
  }
});

/** Tiles whose name is under one of their signs, or whose sign is cut off at their border. */
const crowdedTiles = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('[data-tile]:not([data-self])')].flatMap((tile) => {
      const place = tile.getBoundingClientRect();
      const name = tile.querySelector('[title]');
      if (name === null) return ['a tile without a name'];
      const box = name.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(name);
      // Lines that are cut off don't count.
      const lines = [...range.getClientRects()].filter(
        ({ top, bottom }) => top < box.bottom - 1 && bottom > box.top + 1,
      );
      return [...tile.querySelectorAll('svg')].flatMap((sign) => {
        const { left, right, top, bottom } = sign.getBoundingClientRect();
        if (left < place.left || right > place.right || top < place.top || bottom > place.bottom)
          return [`${name.textContent}: a sign is cut off`];
        const isUnder = lines.some(
          (line) =>
            line.left < right && Math.min(line.right, box.right) > left && line.top < bottom && line.bottom > top,
        );
        return isUnder ? [`${name.textContent}: under a sign`] : [];
      });
    }),
  );

test('on a phone long names and the signs of their tiles stand beside each other', async ({ world, open, enter }) => {
  const { api, admin } = world;
  const people: Person[] = [];
  for (const name of [...NAMES, 'Marie-Antoinette-Joséphine', 'Bartholomäus'])
    people.push(await personNamed(world, name, 20 + people.length));
  const { rtcSession } = await api.channel(admin, 'Signes', people);
  for (const one of people) await enter(one, rtcSession);
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const permissions = ['microphone', 'camera'];
  for (const path of [roomPath(rtcSession), `/join/${encodeURIComponent(rtcSession)}`]) {
    const page = await open(admin, path, { context: { ...context, permissions } });
    await expect(page.locator('[data-tile]:not([data-self])')).toHaveCount(people.length);
    for (const [width, height] of [
      [390, 844],
      [844, 390],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => crowdedTiles(page), `${path} at ${width} px`).toEqual([]);
    }
    await page.close();
  }
});
