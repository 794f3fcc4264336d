import type { Page } from '@playwright/test';
import { sendMessage } from '@pressel/contract/chat';
import { expect, roomPath, talkButton, test, type World } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import type { Person } from '../harness/api.ts';
import { messageField, messagesPanel } from '../harness/chat.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const at = (width: number, height: number) => ({ context: { viewport: { width, height } } });
const messageList = (page: Page) => messagesPanel(page).locator('[data-message-list]');

/** Fills a room with messages, each longer than a line of a phone: the rows are higher than they were estimated. */
async function conversation({ api, admin }: World, count: number): Promise<string> {
  const people = [await api.person('Lin', admin.token), await api.person('Mo', admin.token)];
  const { id, rtcSession } = await api.channel(admin, 'Poche', people);
  const writers = [admin, ...people];
  for (let n = 1; n <= count; n += 1) {
    const message = `Ronde ${n} ${'porte après porte, sans rien voir de neuf '.repeat(4)}`;
    await api.call(sendMessage, { channelId: id, message }, writers[n % writers.length]?.token);
  }
  return `${roomPath(rtcSession)}?panel=messages`;
}

test('[CHATS7] on a phone the list opens at its end, and stays there when the keyboard takes half of the screen', async ({
  world,
  open,
}) => {
  const phone = await open(world.admin, await conversation(world, 40), at(390, 844));
  const list = messageList(phone);
  const belowPx = () =>
    list.evaluate(({ scrollHeight, scrollTop, clientHeight }) => Math.round(scrollHeight - scrollTop - clientHeight));
  await expect(list.getByText(/Ronde 40/u)).toBeInViewport({ ratio: 1 });
  await expect.poll(belowPx).toBeLessThan(2);
  await phone.setViewportSize({ width: 390, height: 600 });
  await expect(list.getByText(/Ronde 40/u)).toBeInViewport({ ratio: 1 });
  await expect.poll(belowPx).toBeLessThan(2);

  await list.hover();
  await phone.mouse.wheel(0, -400);
  await expect.poll(belowPx).toBeGreaterThan(200);
  const [top, height] = await list.evaluate(({ scrollTop, clientHeight }) => [scrollTop, clientHeight] as const);
  await phone.setViewportSize({ width: 390, height: 560 });
  await expect.poll(() => list.evaluate(({ clientHeight }) => clientHeight)).not.toBe(height);
  const now = await list.evaluate(({ scrollTop }) => scrollTop);
  expect(Math.abs(now - top), 'who reads above is left there').toBeLessThan(2);
});

test('[CHATS18] where the panel is low, the search is an icon that opens it and gets the focus back', async ({
  world,
  open,
}) => {
  const phone = await open(world.admin, await conversation(world, 6), at(844, 390));
  const panel = messagesPanel(phone);
  const opener = panel.getByRole('button', { name: say('chat.search.label') });
  const box = panel.getByRole('searchbox');
  await expect(messageList(phone).getByText(/Ronde 6/u)).toBeInViewport({ ratio: 1 });
  await expect(box).toBeHidden();
  expect((await messageList(phone).boundingBox())?.height, 'the messages have room').toBeGreaterThan(90);
  await messageField(phone, say).fill('À moitié');

  await opener.focus();
  await phone.keyboard.press('Enter');
  await expect(box).toBeFocused();
  await expect(messageField(phone, say)).toBeHidden();
  await phone.keyboard.type('ronde 3');
  const found = panel.getByRole('list', { name: say('chat.search.results') });
  await expect(found.getByRole('listitem')).toHaveCount(1);
  await expect(talkButton(phone)).toBeInViewport({ ratio: 1 });
  await expectAccessible(phone, 'the search on a low phone');
  await phone.keyboard.press('Escape');
  await expect(opener).toBeFocused();
  await expect(messageField(phone, say)).toHaveValue('À moitié');

  await opener.click();
  await box.fill('ronde 2');
  await found.getByRole('button', { name: /Ronde 2/u }).click();
  await expect(box).toBeHidden();
  await expect(messageList(phone).getByText(/Ronde 2/u)).toBeInViewport();
  // If there is room for it, the box is there as ever.
  await phone.setViewportSize({ width: 390, height: 844 });
  await expect(box).toBeVisible();
  await expect(opener).toBeHidden();
});

/** How many px the words of the talk button reach into its ring, and how many px the button and the parts below it are out of place. */
const spillOfButton = (page: Page) =>
  talkButton(page).evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    const radius = width / 2 - Number.parseFloat(getComputedStyle(button).borderTopWidth);
    const words = document.createRange();
    words.selectNodeContents(button.lastElementChild as Element);
    const reach = [...words.getClientRects()].flatMap((line) =>
      [line.left, line.right].flatMap((x) =>
        [line.top, line.bottom].map((y) => Math.hypot(x - left - width / 2, y - top - height / 2)),
      ),
    );
    const place = button.closest('[data-tab] > :last-child')?.getBoundingClientRect();
    const below = button.closest('[data-face]')?.lastElementChild?.previousElementSibling?.getBoundingClientRect();
    return {
      words: Math.max(...reach) - radius,
      above: (place?.top ?? Number.NaN) - top,
      below: (below?.bottom ?? Number.NaN) - (place?.bottom ?? Number.NaN),
    };
  });

test('[ROOM3] on the lowest phone the words stand inside the talk button, and all of it in its place', async ({
  world,
  open,
}) => {
  const { rtcSession } = await world.api.channel(world.admin, 'Bas');
  const phone = await open(world.admin, roomPath(rtcSession), at(667, 320));
  await expect(talkButton(phone)).toHaveAttribute('data-state', 'idle');
  const { words, above, below } = await spillOfButton(phone);
  expect(words, 'words beyond the ring').toBeLessThanOrEqual(0);
  expect(above, 'above its place').toBeLessThanOrEqual(0);
  expect(below, 'below its place').toBeLessThanOrEqual(0);
});

test('[ROOM1] on a low phone the words for who is alone stand below the tile, which is whole', async ({
  world,
  open,
}) => {
  const { rtcSession } = await world.api.channel(world.admin, 'Seul');
  const phone = await open(world.admin, roomPath(rtcSession), at(360, 640));
  const words = phone.locator('[data-alone]');
  const list = phone.getByRole('list', { name: say('voice.tile.grid') });
  for (const height of [640, 560]) {
    await phone.setViewportSize({ width: 360, height });
    await expect
      .poll(() => list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight), `${height}: hidden`)
      .toBe(0);
    const [tile, below] = [await phone.locator('[data-tile]').boundingBox(), await words.boundingBox()];
    expect(below?.y, `${height}: the words`).toBeGreaterThanOrEqual((tile?.y ?? 0) + (tile?.height ?? Number.NaN));
  }
});

test('[ROOM2] on a low phone the talk button is whole, also under a notice; without a link nobody is said to be silent', async ({
  world,
  open,
}) => {
  const phone = await open(world.admin, await conversation(world, 6), {
    ...at(844, 390),
    expectedErrors: /ERR_INTERNET_DISCONNECTED/u,
  });
  const strip = phone.locator('[data-strip]');
  await expect(strip).toBeVisible();
  await expect(talkButton(phone)).toBeInViewport({ ratio: 1 });
  await phone.context().setOffline(true);
  await expect(talkButton(phone)).toHaveAttribute('data-state', 'no_link');
  await expect(strip).toHaveCount(0);
  await expect(talkButton(phone)).toBeInViewport({ ratio: 1 });
  await expect(messageField(phone, say)).toBeInViewport({ ratio: 1 });
});

test('[ROOM1] a swipe leads from tab to tab and back, and not to the page before the room', async ({ world, open }) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Glisse');
  const phone = await open(admin, '/channelsList', {
    context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  await phone.goto(roomPath(rtcSession));
  const shown = (panel: 'people' | 'messages') => phone.getByRole('tab', { name: say(`voice.panels.${panel}`) });
  await expect(talkButton(phone)).toHaveAttribute('data-state', 'idle');
  const finger = await phone.context().newCDPSession(phone);
  const swipe = async (from: number, to: number) => {
    // The swipe takes as long as a quick finger, however long this machine needs for it: a longer one is no swipe.
    const begun = Date.now() / 1000 - 0.2;
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', part: number) =>
      finger.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: from + (to - from) * part, y: 300 }],
        timestamp: begun + part * 0.15,
      });
    await send('touchStart', 0);
    for (const part of [0.25, 0.5, 0.75, 1]) await send('touchMove', part);
    await send('touchEnd', 1);
  };
  await swipe(330, 60);
  await expect(shown('messages')).toHaveAttribute('aria-selected', 'true');
  await swipe(60, 330);
  await expect(shown('people')).toHaveAttribute('aria-selected', 'true');
  // Headless Chromium has no gesture that goes back.
  await expect(phone.locator('html')).toHaveCSS('overscroll-behavior', 'none');
});

test('[CHATS59] on a low phone the names to mention stay inside the panel, and a finger on one leaves the field its focus', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const people: Person[] = [];
  for (const name of ['Ana', 'Bo', 'Cid', 'Dan', 'Eve', 'Maximilienne-Alexandrine Montmorency']) {
    people.push(await api.person(name, admin.token));
  }
  const { rtcSession } = await api.channel(admin, 'Noms', people);
  const phone = await open(admin, `${roomPath(rtcSession)}?panel=messages`, {
    context: { viewport: { width: 360, height: 340 }, hasTouch: true, isMobile: true },
  });
  const field = messageField(phone, say);
  const options = phone.getByRole('listbox', { name: say('chat.mention.label') }).getByRole('option');
  await field.tap();
  await field.pressSequentially('Vu @');
  await expect(options).toHaveCount(6);
  const [list, panel] = [await phone.getByRole('listbox').boundingBox(), await messagesPanel(phone).boundingBox()];
  expect(list?.y, 'the top of the list').toBeGreaterThanOrEqual(panel?.y ?? Number.NaN);
  await phone.keyboard.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await expect(options.last()).toBeInViewport({ ratio: 1 });
  await options.last().tap();
  await expect(options).toHaveCount(0);
  await expect(field).toBeFocused();
  await phone.keyboard.type('ici');
  await expect(field).toHaveValue(`Vu @${people.at(-1)?.name.replaceAll(' ', '\u00a0')} ici`);
});
