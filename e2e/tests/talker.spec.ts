import type { Locator } from '@playwright/test';
import { expect, expectReady, press, release, roomPath, talkButton, test, tiles } from '../fixtures.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const DESK = { context: { viewport: { width: 1600, height: 900 } } };

/** Words of a text that are broken in two, or partly hidden, up to where the text is cut. */
const brokenWords = (text: Locator): Promise<string[]> =>
  text.evaluate((element) => {
    const node = element.firstChild as Text;
    const words = [...node.data.matchAll(/[^\s-]+/gu)];
    return words
      .filter(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
      })
      .map(([word]) => word);
  });

test('[TALK112] [TALK113] who talks is read from afar and in the tab’s title, and who talked last stays', async ({
  world,
  open,
  enter,
}) => {
  const { api, admin } = world;
  const [lea, max] = await Promise.all(['Léa', 'Maximilienne-Alexandrine'].map((one) => api.person(one, admin.token)));
  if (lea === undefined || max === undefined) throw new Error('Nobody is there');
  const { rtcSession, name: channel } = await api.channel(admin, 'Équipe Nord', [lea, max]);
  const desk = await open(admin, roomPath(rtcSession), DESK);
  const radio = await open(lea, roomPath(rtcSession));
  await expectReady(desk, 2);
  await expectReady(radio, 2);
  await expect(desk).toHaveTitle(`${channel} · Pressel`);

  await press(radio);
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'busy');
  const shown = [
    talkButton(desk).getByText(lea.name, { exact: true }),
    tiles(desk).filter({ hasText: lea.name }).getByText(lea.name, { exact: true }).last(),
  ];
  for (const one of shown) {
    await expect
      .poll(() => one.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize)))
      .toBeGreaterThanOrEqual(28);
    expect(await one.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(1);
  }
  await expect(talkButton(desk)).toHaveAccessibleName(say('voice.talk.busy', { name: lea.name }));
  const talking = say('voice.tab.talking_one', { names: lea.name, channel });
  await expect(desk).toHaveTitle(`${talking} · Pressel`);
  await expect(radio).toHaveTitle(`${say('voice.tab.onAir', { channel })} · Pressel`);

  await desk.getByRole('link', { name: say('app.nav.users'), exact: true }).click();
  await expect(desk, 'on another page too').toHaveTitle(`${talking} · Pressel`);
  await release(radio);
  await expect(desk).toHaveTitle(`${say('app.nav.users')} · Pressel`);
  await desk.goBack();
  const last = desk.locator('[data-last-talk]');
  await expect(last).toContainText(lea.name);
  await expect(last).toContainText(/\d\d:\d\d:\d\d/u);
  await expect(radio.locator('[data-last-talk]')).toContainText(say('voice.tile.you'));

  // Words that are too long for that room are smaller, and whole.
  const peer = await enter(max, rtcSession);
  await peer.press();
  const tile = tiles(desk).filter({ hasText: max.name });
  await expect(tile).toHaveAttribute('data-presence', 'talking');
  for (const place of [tile, talkButton(desk)])
    expect(await brokenWords(place.getByText(max.name, { exact: true }).last())).toEqual([]);
  await peer.release();
});

test('[ROOM20] from a room another channel is one click or a few keys away', async ({ world, open }) => {
  const { api, admin, own } = world;
  const max = await api.person('Max', admin.token);
  const north = await api.channel(admin, 'Nord', [max]);
  const south = await api.channel(admin, 'Sud', [max]);
  const page = await open(max, roomPath(north.rtcSession));
  await expectReady(page, 1);
  const switcher = page.getByRole('button', { name: say('voice.switcher.label') });
  await switcher.click();
  await expect(page.getByRole('option', { name: north.name }), 'one is there already').toBeDisabled();
  await page.getByRole('option', { name: south.name }).click();
  await expect(page.getByRole('heading', { name: south.name })).toBeVisible();
  await expectReady(page, 1);

  await page.getByRole('button', { name: say('voice.switcher.label') }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('searchbox').or(page.getByPlaceholder(say('voice.switcher.filter')))).toBeFocused();
  await page.keyboard.type(own('Nord'));
  await expect(page.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: north.name })).toBeVisible();
  await expectReady(page, 1);
});
