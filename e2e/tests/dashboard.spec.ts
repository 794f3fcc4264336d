import { isDeepStrictEqual } from 'node:util';
import type { Locator } from '@playwright/test';
import { addUserToChannel } from '@pressel/contract/channels';
import { sendMessage } from '@pressel/contract/chat';
import { getDashboard } from '@pressel/contract/dashboard';
import { RESUME_MS } from '@pressel/contract/limits';
import { expect, release, roomPath, talk, test } from '../fixtures.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

test('[DASH4] [DASH6] who talks in which room shows while it happens, the whole day also on a phone, and a click leads there', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const ida = await api.person('Ida', admin.token);
  const nord = await api.channel(admin, 'Nord', [ida]);
  const desk = await open(admin, '/dashboard');
  const live = desk.getByRole('region', { name: say('dashboard.live.title') });
  const row = live.getByRole('listitem').filter({ hasText: nord.name });
  const field = await open(ida, roomPath(nord.rtcSession));
  await expect(row).toContainText(ida.name);
  const talks = say('dashboard.live.talks_one', { names: ida.name });
  await talk(field, () => expect(row).toContainText(talks));
  await release(field);
  await expect(row).not.toContainText(talks);
  const talkToday = desk.getByRole('region', { name: say('dashboard.talk.title') });
  await expect(talkToday.getByRole('row', { name: nord.name })).toContainText(
    say('dashboard.talk.transmissions_one', { count: 1 }),
  );
  await desk.setViewportSize({ width: 390, height: 844 });
  const hours = talkToday.getByRole('row', { name: nord.name }).getByRole('cell');
  await expect(hours).toHaveCount(25);
  await hours.nth(23).scrollIntoViewIfNeeded();
  for (const hour of [hours.first(), hours.nth(23)]) await expect(hour).toBeInViewport({ ratio: 1 });
  await row.getByRole('link').click();
  await expect(desk).toHaveURL(new RegExp(`${encodeURI(roomPath(nord.rtcSession))}$`, 'u'));
});

test('[DASH8] a member hears of their own channels alone, and of one more when they are added', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const uli = await api.person('Uli', admin.token);
  const own = await api.channel(admin, 'Sien', [uli]);
  const foreign = await api.channel(admin, 'Autrui');
  const page = await open(uli, '/dashboard');
  const channels = page.getByRole('region', { name: say('dashboard.myChannels') });
  await expect(channels.getByRole('listitem')).toHaveText([new RegExp(own.name, 'u')]);
  await page.mouse.move(0, 0);
  await api.call(addUserToChannel, { userId: uli.id, channelId: foreign.id }, admin.token);
  await expect(channels.getByRole('listitem')).toHaveCount(2);
  await expect(page.getByRole('region', { name: say('dashboard.last.title') })).toHaveCount(0);
});

test('[DASH9] a channel is added from the dashboard and is in its list, which is read when it is seen', async ({
  world,
  open,
}) => {
  const { admin } = world;
  const name = world.own('Relais');
  const page = await open(admin, '/dashboard');
  await page.getByRole('button', { name: say('dashboard.addChannel') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: say('channels.form.name') }).fill(name);
  await dialog.getByRole('button', { name: say('channels.create.submit') }).click();
  await expect(dialog).toHaveCount(0);
  // Texts that only screen readers get don't lengthen the document: only the page's frame scrolls.
  expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBe(0);
  await page.getByRole('searchbox', { name: say('channels.filter') }).fill(name);
  await expect(page.getByRole('table', { name: say('channels.title'), exact: true }).getByRole('row')).toHaveCount(2);
});

const WIDTHS = [
  { width: 1600, height: 900 },
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;
const PARTS = ['live.title', 'top.title', 'figures', 'talk.title', 'last.title'] as const;

for (const viewport of WIDTHS) {
  test(`[DASH5] [DASH11] at ${viewport.width} px its parts have their places, which what happens does not move`, async ({
    world,
    open,
    enter,
  }) => {
    const { api, admin } = world;
    const ida = await api.person('Ida', admin.token);
    const uli = await api.person('Uli', admin.token);
    const nord = await api.channel(admin, 'Nord', [ida]);
    const sud = await api.channel(admin, 'Sud', [uli]);
    // Sends as many as the dashboard shows: one more doesn't make their card higher.
    for (let sent = 0; sent < 8; sent += 1)
      await api.call(sendMessage, { channelId: nord.id, message: 'Reçu' }, ida.token);
    const page = await open(admin, '/dashboard', { context: { viewport } });
    const region = (part: (typeof PARTS)[number]) =>
      page.getByRole('region', { name: say(`dashboard.${part}`), exact: true });
    const lists = page.getByRole('heading', { name: say('users.title'), exact: true, level: 2 });
    const boxOf = async (part: Locator) => {
      const box = await part.boundingBox();
      if (box === null) throw new Error(`${part} is not there`);
      return { ...box, right: box.x + box.width, bottom: box.y + box.height };
    };
    const boxes = async () =>
      Object.fromEntries(await Promise.all(PARTS.map(async (part) => [part, await boxOf(region(part))])));
    let [before, below] = [await boxes(), await boxOf(lists)];
    // Waits until the page's parts have come, and the lists below them.
    const isStill = async () => {
      const earlier = [before, below];
      [before, below] = [await boxes(), await boxOf(lists)];
      return isDeepStrictEqual(earlier, [before, below]);
    };
    await expect.poll(isStill).toBe(true);
    const { 'live.title': live, 'top.title': top, figures, 'talk.title': talks, 'last.title': last } = before;
    const isPhone = viewport.width === 390;
    const order = isPhone ? [live, top, figures, talks, last] : [figures, live, talks, top];
    for (const [index, box] of order.entries()) {
      expect(box.x >= 0 && box.right <= viewport.width, 'within the page').toBe(true);
      if (index > 0) expect(box.y, `below the one before, ${index}`).toBeGreaterThanOrEqual(order[index - 1].bottom);
    }
    const rowOf = ({ name }: { name: string }) => region('live.title').getByRole('listitem').filter({ hasText: name });
    const showsAll = async () =>
      expect(await page.locator('section[data-area]').evaluateAll(faultsOfHeight)).toEqual([]);
    await showsAll();
    if (isPhone) return;
    expect([last.y, last.x > top.right], 'the entries beside the others').toEqual([live.y, true]);
    // The page may show rooms of other tests too: then the cards beside the entries may reach further down than these.
    const belowBoth = (top: number, entries: number, { y }: { y: number }) => Math.round(y - Math.max(top, entries));
    const gap = belowBoth(top.bottom, last.bottom, below);
    expect(gap, 'the lists below both').toBeGreaterThan(0);
    const field = await enter(ida, nord.rtcSession);
    await expect(rowOf(nord)).toContainText(ida.name);
    await field.press();
    await expect(rowOf(nord)).toContainText(say('dashboard.live.talks_one', { names: ida.name }));
    await field.release();
    await expect(page.getByRole('row', { name: nord.name }).first()).toContainText(
      say('dashboard.talk.transmissions_one', { count: 1 }),
    );
    const after = await boxes();
    expect({ ...after['live.title'], height: 0, bottom: 0 }).toEqual({ ...live, height: 0, bottom: 0 });
    expect(after.figures).toEqual(figures);
    expect(after['last.title']).toEqual(last);
    const gapAfter = belowBoth(after['top.title'].bottom, last.bottom, await boxOf(lists));
    expect(gapAfter, 'nothing below the entries has moved').toBe(gap);
    await showsAll();

    // Rooms of earlier tests empty when the server gives their participants up. One that went now would hide what another brings.
    await expect(region('live.title').getByRole('listitem')).toHaveCount(1, { timeout: 3 * RESUME_MS });

    // Under the pointer, parts below the rooms stay too.
    const pointed = region('top.title').getByRole('link', { name: say('dashboard.allChannels') });
    await pointed.hover();
    const place = await boxOf(pointed);
    const figuresAt = async () => (await boxOf(region('figures'))).y;
    // Where there are many channels, the page scrolled to the link.
    const pointedFrom = await figuresAt();
    const other = await enter(uli, sud.rtcSession);
    await expect(rowOf(sud)).toContainText(uli.name);
    await expect.poll(figuresAt, 'the page has scrolled').toBeLessThan(pointedFrom);
    expect(await boxOf(pointed)).toEqual(place);
    await other.leave();
    await expect(rowOf(sud)).toHaveCount(0);
    await expect.poll(figuresAt).toBe(pointedFrom);
    expect(await boxOf(pointed)).toEqual(place);
  });
}

/** Cards in which something is cut or scrolls, or that have an empty field below their content. Runs in the page. */
function faultsOfHeight(cards: readonly Element[]): string[] {
  const faults: string[] = [];
  for (const card of cards) {
    const title = card.querySelector('h2')?.textContent ?? '';
    for (const part of [card, ...card.querySelectorAll('ul, ol, div')]) {
      if (part.clientHeight > 1 && part.scrollHeight > part.clientHeight + 1) faults.push(`${title}: something is cut`);
    }
    const content = card.lastElementChild?.getBoundingClientRect().bottom ?? 0;
    if (card.getBoundingClientRect().bottom - content > 2) faults.push(`${title}: something is empty`);
  }
  return faults;
}

test('[DASH12] on a phone the talks of today are drawn when they are scrolled to', async ({ world, open }) => {
  // The window is so low that the card is further away than the browser's margin.
  const page = await open(world.admin, '/dashboard', { context: { viewport: { width: 390, height: 200 } } });
  const talks = page.getByRole('region', { name: say('dashboard.talk.title'), exact: true });
  const drawn = () =>
    talks.evaluate((card) =>
      card.lastElementChild?.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }),
    );
  await expect.poll(drawn).toBe(false);
  await talks.scrollIntoViewIfNeeded();
  await expect.poll(drawn).toBe(true);
});

for (const width of [390, 900, 1600]) {
  test(`[DASH8] at ${width} px much that was missed leaves its channel the name, and every figure its place`, async ({
    world,
    open,
  }) => {
    const { api, admin } = world;
    const ida = await api.person('Ida', admin.token);
    const nord = await api.channel(admin, 'Nord', [ida]);
    const much = { talkMs: 3_599_000, transmissions: 1_234 };
    const hours = Array.from({ length: 24 }, () => much);
    const { res } = await api.call(getDashboard, {}, ida.token);
    if (res.role !== 'member') throw new Error('A member has a dashboard of their own');
    const channels = res.channels.map((channel) => ({ ...channel, missedTalks: 117, unread: 230 }));
    const talkToday = { ...res.talkToday, ...much, channels: [{ ...nord, ...much, hours }] };
    const json = { success: true, res: { ...res, channels, talkToday } };
    const page = await open(ida, '/dashboard', {
      context: { viewport: { width, height: 900 }, serviceWorkers: 'block' },
      language: 'de',
      prepare: async (context) => {
        await context.route(`**${getDashboard.path}`, (route) => route.fulfill({ json }));
      },
    });
    const mine = page.getByRole('region', { name: sayIn('de')('dashboard.myChannels') });
    const name = mine.getByTitle(nord.name, { exact: true });
    await expect(mine).toContainText('117');
    const fits = (element: HTMLElement) => element.clientWidth > 0 && element.scrollWidth <= element.clientWidth;
    expect(await name.evaluate(fits)).toBe(true);
    const sum = page.getByRole('row', { name: nord.name }).getByRole('cell').last();
    await sum.scrollIntoViewIfNeeded();
    await expect(sum).toContainText('1.234');
    expect(await sum.evaluate(fits)).toBe(true);
  });
}
