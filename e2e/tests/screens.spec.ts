import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions, Page } from '@playwright/test';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { expect, expectReady, press, release, roomPath, talkButton, test, type World } from '../fixtures.ts';
import { foreignWordsIn, shownText } from '../harness/shown-text.ts';
import { type Look, tourAsMember, tourTheConsole, tourTheDoors, tourTheRoom } from '../harness/tour.ts';
import { type Language, sayIn } from '../harness/words.ts';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Still experimental: it takes the initials of the avatar, which no reader hears, for a label. */
const LEFT_OUT = ['label-content-name-mismatch'];

/** Each screen is seen in every language, in light and in dark, wide and narrow. */
const LOOKS = [
  { language: 'fr', scheme: 'light', width: 1280, height: 800 },
  { language: 'en', scheme: 'dark', width: 1600, height: 900 },
  { language: 'de', scheme: 'light', width: 390, height: 844 },
  { language: 'fr', scheme: 'dark', width: 360, height: 640 },
] as const;

/** What axe finds, as short as it can be said. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  // Without frames there is nothing to join, so that no other page need be opened beside this one.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .withTags(WCAG)
    .disableRules(LEFT_OUT)
    .analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.html}`));
}

for (const { language, scheme, width, height } of LOOKS) {
  test(`every screen in ${language}, ${scheme}, ${width} px wide: no fault of access, one language, nothing too wide`, async ({
    world,
    open,
  }) => {
    test.setTimeout(120_000);
    const { api, admin, server } = world;
    const lea = await api.person(`Lea${width}`, admin.token);
    const nobody = await api.person(`Nour${width}`, admin.token);
    const channel = `Nord ${width}`;
    const { rtcSession } = await api.channel(admin, channel, [lea]);
    const foreign = foreignWordsIn(language, await namesOn(world));
    const faults: string[] = [];
    const look: Look = async (where, page) => {
      expect(await page.locator('html').getAttribute('lang'), where).toBe(language);
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe(scheme);
      const spill = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (spill > 0) faults.push(`${where}: ${spill} px too wide`);
      for (const fault of await accessibilityFaults(page)) faults.push(`${where}: ${fault}`);
      for (const text of foreign(await shownText(page))) faults.push(`${where}: says «${text}»`);
    };
    const context = contextOf(server.origin, language, scheme, { width, height });
    const guide = { say: sayIn(language), look, isWide: width >= 1480 };

    await tourTheDoors(await open(null, '/signin', { context }), guide);
    await tourAsMember(await open(nobody, '/channelsList', { context }), guide, roomPath(rtcSession));
    const page = await open(admin, '/dashboard', { context });
    await tourTheConsole(page, guide, {
      channel,
      outsider: `${nobody.firstName} ${nobody.lastName}`,
      name: `${admin.firstName} ${admin.lastName}`,
    });
    await page.goto(roomPath(rtcSession));
    const other = await open(lea, `/mobileCallView/${encodeURIComponent(rtcSession)}`, { context });
    await expectReady(page, 2);
    await expectReady(other, 2);
    await look('phone room', other);
    await tourTheRoom(page, guide);
    await press(other);
    await expect(talkButton(page)).toHaveAttribute('data-state', 'busy');
    await look('room, busy', page);
    await release(other);
    expect(faults).toEqual([]);
  });
}

/** Every name that lists may show: other tests left theirs on the worker's server. */
async function namesOn({ api, admin }: World): Promise<string[]> {
  const users = (await api.call(getAllUsers, {}, admin.token)).res;
  const channels = (await api.call(getAllChannels, {}, admin.token)).res;
  return [
    ...users.flatMap(({ firstName, lastName, pseudo }) => [firstName, lastName, `${firstName} ${lastName}`, pseudo]),
    ...channels.map(({ name }) => name),
  ].map((name) => name.replace(/\s+/gu, ' ').trim());
}

/** A browser in which language and appearance were chosen before. */
function contextOf(
  origin: string,
  language: Language,
  scheme: 'light' | 'dark',
  viewport: { width: number; height: number },
): BrowserContextOptions {
  const localStorage = [
    { name: 'language', value: JSON.stringify(language) },
    { name: 'colorScheme', value: JSON.stringify(scheme) },
  ];
  return { viewport, storageState: { cookies: [], origins: [{ origin, localStorage }] } };
}
