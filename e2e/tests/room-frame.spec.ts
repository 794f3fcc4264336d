import type { Locator, Page } from '@playwright/test';
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
} from '../fixtures.ts';
import { toggleMember } from '../harness/acts.ts';
import { messageField, messagesPanel } from '../harness/chat.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const at = (width: number, height: number) => ({ context: { viewport: { width, height } } });
const tab = (page: Page, panel: 'people' | 'messages' | 'map' | 'members') =>
  page.getByRole('tab', { name: say(`voice.panels.${panel}`) });

test('[ROOM4] on a wide screen panes fold and their borders move, and both are remembered', async ({ world, open }) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Quart');
  const page = await open(admin, roomPath(rtcSession), at(1600, 900));
  await expectReady(page, 1);
  const border = page.getByRole('separator', { name: say('voice.panels.sideBorder') });
  const side = page.getByRole('complementary', { name: say('voice.panels.label') });
  expect((await side.boundingBox())?.width, 'as wide as the specification says').toBe(420);

  const place = await border.boundingBox();
  if (place === null) throw new Error('no border');
  const y = place.y + 200;
  await page.mouse.move(place.x + 5, y);
  await page.mouse.down();
  await page.mouse.move(place.x - 95, y, { steps: 4 });
  await page.mouse.up();
  await expect(border).toHaveAttribute('aria-valuenow', '520');
  await border.focus();
  await page.keyboard.press('ArrowRight');
  await expect(border).toHaveAttribute('aria-valuenow', '504');

  await tab(page, 'members').click();
  await expect(page).toHaveURL(/panel=members/u);
  const filter = page.getByRole('textbox', { name: say('members.filter') });
  await filter.fill('personne');
  await page.getByRole('button', { name: say('members.ascending') }).click();
  await expect(page).toHaveURL(/q=personne.*desc=true|desc=true.*q=personne/u);
  await page.getByRole('button', { name: say('voice.panels.people'), exact: true }).click();
  await expect(page.getByRole('list', { name: say('voice.tile.grid') })).toHaveCount(0);
  await expect(talkButton(page)).toBeVisible();
  await expect(page.locator('[data-strip]')).toHaveText(say('voice.strip.idle'));

  await page.reload();
  await expect(talkButton(page)).toBeVisible();
  await expect(border).toHaveAttribute('aria-valuenow', '504');
  await expect(tab(page, 'members')).toHaveAttribute('aria-selected', 'true');
  await expect(filter).toHaveValue('personne');
  await expect(page.getByRole('button', { name: say('members.descending') })).toBeVisible();
  await expect(page.getByRole('list', { name: say('voice.tile.grid') })).toHaveCount(0);
});

test('[ROOM4] panes as wide as they get leave a place for the map, also when the window gets narrower', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Large');
  const page = await open(admin, roomPath(rtcSession), at(1600, 900));
  const people = page.getByRole('separator', { name: say('voice.panels.peopleBorder') });
  const side = page.getByRole('separator', { name: say('voice.panels.sideBorder') });
  for (const border of [people, side]) await border.press('End');
  await page.setViewportSize({ width: 1480, height: 900 });
  const map = page.locator('[data-map-panel]');
  const column = page.getByRole('complementary', { name: say('voice.panels.label') });
  const box = async (of: typeof map) => (await of.boundingBox()) ?? { x: 0, width: 0 };
  await expect.poll(async () => (await box(column)).x + (await box(column)).width).toBe(1480);
  expect((await box(map)).width).toBeGreaterThanOrEqual(190);
  expect(Math.abs((await box(people)).x - (await box(map)).x), 'the border is where the map begins').toBeLessThan(12);
});

test('[TALK57] the mouse that holds the talk button leaves the focus in the message, the Tab key reaches the button', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Plume');
  const page = await open(admin, roomPath(rtcSession), at(1600, 900));
  await expectReady(page, 1);
  const field = messageField(page, say);
  await field.pressSequentially('Je vous ');
  await talk(page, () => expect(field).toBeFocused());
  await page.keyboard.type('écris');
  await expect(talkButton(page)).toHaveAttribute('data-state', 'talking');
  await release(page);
  await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('Je vous écris');

  const reached = async () => {
    await page.keyboard.press('Tab');
    await expect(talkButton(page)).toBeFocused({ timeout: 200 });
  };
  await expect(reached).toPass();
  await page.keyboard.down('Space');
  await expect(talkButton(page)).toHaveAttribute('data-state', 'talking');
  await page.keyboard.up('Space');
  await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
  await expect(field).toHaveValue('Je vous écris');
});

test('[ROOM23] a notification covers neither the search nor the field of the messages', async ({ world, open }) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { name, rtcSession } = await api.channel(admin, 'Note');
  const page = await open(admin, roomPath(rtcSession), at(1600, 900));
  await expectReady(page, 1);
  await page.getByRole('button', { name: say('channels.here.manage') }).click();
  const dialog = page.getByRole('dialog', { name: say('channels.membersOf', { name }) });
  await dialog.getByRole('searchbox').fill(ida.name);
  // The notice goes by itself soon, so the test asks for its place as it comes.
  const note = page.getByRole('alert').filter({ hasText: say('channels.member.added') });
  const noted = note.boundingBox();
  await toggleMember(page, say, ida.name, 'add');
  const { y = 0, height = 0 } = (await noted) ?? {};
  const search = await messagesPanel(page).locator('input[type=search]').boundingBox();
  const field = await messagesPanel(page).locator('textarea').boundingBox();
  expect(y).toBeGreaterThanOrEqual((search?.y ?? Number.NaN) + (search?.height ?? 0));
  expect(y + height).toBeLessThanOrEqual(field?.y ?? 0);
});

test('[ROOM26] the way to the map covers nothing of what is told to who is alone', async ({ world, open }) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Seul', []);
  const desk = await open(admin, `${roomPath(rtcSession)}?panel=members`, at(900, 700));
  await expectReady(desk, 1);
  const way = desk.getByRole('button', { name: say('voice.panels.toMap') });
  const told = desk.getByText(say('voice.tile.waitingMore'));
  for (const height of [700, 620, 759]) {
    await desk.setViewportSize({ width: 900, height });
    await expect(told).toBeInViewport({ ratio: 1 });
    await expect
      .poll(async () => {
        const [above, below] = [await told.boundingBox(), await way.boundingBox()];
        return (below?.y ?? 0) - ((above?.y ?? 0) + (above?.height ?? 0));
      }, `at ${height} px`)
      .toBeGreaterThanOrEqual(0);
  }
});

test('[ROOM2] at a middle width the map that is scrolled to says who talks, in the place of the tiles', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Palier', [ida]);
  // The page has motion, as for most people: without it, the snapping of the page would correct a jump.
  const context = { viewport: { width: 1280, height: 800 }, reducedMotion: 'no-preference' } as const;
  const desk = await open(admin, roomPath(rtcSession), { context });
  const field = await open(ida, roomPath(rtcSession), at(390, 844));
  await expectReady(desk, 2);
  await expect(desk.locator('[data-strip]')).toHaveCount(0);
  await desk.getByRole('button', { name: say('voice.panels.toMap') }).click();
  await talk(field, async () => {
    const strip = desk.locator('[data-strip="receive"]');
    await expect(strip).toContainText('Ida');
    await expect(strip).toBeInViewport({ ratio: 1 });
    await expect(desk.locator('[data-tile]').first()).not.toBeInViewport();
    const place = async (locator: Locator) => (await locator.boundingBox()) ?? { y: Number.NaN, height: 0 };
    const map = desk.locator('[data-map-panel]');
    const scroller = desk.locator('[data-scroller]');
    await expect
      .poll(async () => {
        const [{ y, height }, mapAt, around] = [await place(strip), await place(map), await place(scroller)];
        return [y - around.y, mapAt.y - y - height, around.y + around.height - mapAt.y - mapAt.height].map(Math.trunc);
      })
      .toEqual([0, 0, 0]);
    expect((await place(scroller)).y + (await place(scroller)).height).toBeLessThanOrEqual(
      (await place(talkButton(desk))).y,
    );
  });
});

test('[ROOM7] a talk goes on while a panel opens beside it', async ({ world, open }) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const { rtcSession } = await api.channel(admin, 'Relais', [ida]);
  const desk = await open(admin, roomPath(rtcSession), at(1280, 800));
  const field = await open(ida, roomPath(rtcSession), at(390, 844));
  await expectReady(desk, 2);
  await expectReady(field, 2);
  await press(desk);
  await expectHeard(field, 'up', 400);
  await tab(field, 'members').click();
  await expect(field.locator('[data-strip="receive"]')).toContainText('Camille');
  await expect(talkButton(field)).toHaveAttribute('data-state', 'busy');
  await expectHeard(field, 'up', 400);
  await release(desk);
  await expect(field.locator('[data-strip="idle"]')).toBeVisible();

  // The field's browser talks by its bar; panels that the other one opens end nothing.
  await press(field);
  await expect(talkButton(field)).toHaveAttribute('data-state', 'talking');
  await desk.getByRole('button', { name: say('voice.panels.members'), exact: true }).click();
  await expectHeard(desk, 'up', 400);
  await release(field);
});

test('[ROOM7] messages open beside the room and close again, and a reload finds them as they were', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Volet');
  const page = await open(admin, roomPath(rtcSession), at(1280, 800));
  await expectReady(page, 1);
  const toggle = page.getByRole('button', { name: say('voice.panels.messages'), exact: true });
  await expect(messagesPanel(page)).toHaveCount(0);
  await toggle.click();
  await expect(messageField(page, say)).toBeVisible();
  await page.reload();
  await expect(messageField(page, say)).toBeVisible();
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
  await toggle.click();
  await expect(messagesPanel(page)).toHaveCount(0);
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
});

test('[TALK56] one person is silenced for one listener, who sees it and finds it so after a reload', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const [ida, uli] = [await api.person('Ida', admin.token), await api.person('Uli', admin.token)];
  const { rtcSession } = await api.channel(admin, 'Écoute', [ida, uli]);
  const desk = await open(admin, roomPath(rtcSession), { voice: 'down', ...at(1280, 800) });
  const field = await open(ida, roomPath(rtcSession));
  const other = await open(uli, roomPath(rtcSession));
  for (const page of [desk, field, other]) await expectReady(page, 3);
  await desk.getByRole('button', { name: say('voice.volume.of', { name: ida.name }) }).click();
  await desk.getByRole('dialog').getByRole('switch').check();
  await desk.keyboard.press('Escape');
  await talk(field, () => expectHeard(other, 'up', 400));
  await expect(desk.getByText(say('voice.tile.silenced'))).toBeVisible();
  await release(field);
  await expectSilence(desk);

  await desk.reload();
  await expectReady(desk, 3);
  await talk(field, () => expectHeard(other, 'up', 400));
  await expect(desk.getByText(say('voice.tile.silenced'))).toBeVisible();
  await expectSilence(desk);
  await release(field);
});
