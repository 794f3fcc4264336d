import type { Page } from '@playwright/test';
import { addUserToChannel, deleteUserFromChannel, updateChannel } from '@pressel/contract/channels';
import { createGuestLink } from '@pressel/contract/guests';
import { getAllUsers } from '@pressel/contract/users';
import { channelsPath, expect, expectReady, phonePath, roomPath, talkButton, test, type World } from '../fixtures.ts';
import { channelRow, openChannelDialog, toggleMember } from '../harness/acts.ts';
import type { Person } from '../harness/api.ts';
import { textsOutOfPlace } from '../harness/cut-text.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const banner = (page: Page) => page.locator('[data-link-lost]');

async function createByDialog(page: Page, name: string): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('button', { name: say('channels.create.act') })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: say('channels.create.title') });
  await dialog.getByLabel(say('channels.form.name')).fill(name);
  await dialog.getByRole('button', { name: say('channels.create.submit') }).click();
  await expect(dialog).toHaveCount(0);
}

/** Waits until the server knows the sockets of a person: a page is told nothing until its socket is up. */
async function expectSockets({ api, admin }: World, person: Person, count: number): Promise<void> {
  const sockets = async () =>
    (await api.call(getAllUsers, { filter: person.email }, admin.token)).res[0]?.user_sockets.length;
  await expect.poll(sockets).toBe(count);
}

test('a lost link is told in lists and rooms with what still works, and all is fresh once it is back', async ({
  world,
  open,
}) => {
  const { api, admin, server, own } = world;
  const people = [await api.person('Lin', admin.token), await api.person('Mo', admin.token)] as const;
  const { id, rtcSession, name } = await api.channel(admin, 'Liaison', people);
  // A page that loads parts ahead may meet the stopping server, or one that has just begun and serves all pages at
  // once.
  const cut = { expectedErrors: /(?:429|503) .*\/assets\// };
  const list = await open(admin, channelsPath(own('').trim()), cut);
  await expect(channelRow(list, name)).toContainText('0/2');
  const room = await open(people[0], roomPath(rtcSession), cut);
  const phone = await open(people[1], phonePath(rtcSession), cut);
  for (const page of [room, phone]) await expectReady(page, 2);
  await expect(channelRow(list, name)).toContainText('2/2');

  await server.stop();
  await expect(banner(list)).toBeInViewport();
  await expect(banner(list)).toContainText(say('app.link.lost'));
  await expect(banner(list)).toContainText(say('app.link.lostMore'));
  await expect(list.getByRole('status').filter({ has: banner(list) }), 'readers are told').toHaveCount(1);
  await expect(channelRow(list, name), 'what was read can still be read').toBeVisible();
  for (const page of [room, phone]) {
    await expect(talkButton(page)).toContainText(say('voice.talk.no_link'));
    const alert = page.locator('[data-kind=lost]').filter({ hasText: say('voice.notice.lost') });
    await expect(alert).toBeInViewport();
    await expect(alert).toContainText(say('voice.notice.lostMore'));
    await expect(page.getByText(say('voice.link.lost'), { exact: true })).toBeVisible();
  }

  await server.start();
  await api.call(addUserToChannel, { userId: admin.id, channelId: id }, admin.token);
  const { name: later } = await api.channel(admin, 'Pendant la panne');
  await expect(banner(list)).toHaveCount(0);
  await expect(channelRow(list, later)).toBeVisible();
  for (const page of [room, phone]) {
    await expectReady(page, 2);
    await expect(page.getByText(say('voice.notice.lost'))).toHaveCount(0);
  }
  await expect(channelRow(list, name)).toContainText('2/3');
});

test('what one administrator creates or changes is seen by the others', async ({ world, open }) => {
  const { api, admin } = world;
  const ana = await api.person('Anaïs', admin.token);
  const name = world.own('Vu de tous');
  const [one, other] = [await open(admin, channelsPath(name)), await open(admin, channelsPath(name))];
  const member = await open(ana, '/channelsList');
  await expectSockets(world, admin, 2);
  await expectSockets(world, ana, 1);
  await createByDialog(one, name);
  await expect(channelRow(other, name), 'whoever creates a channel is in it').toContainText('0/1');
  await expect(channelRow(member, name), 'not theirs yet').toHaveCount(0);

  const dialog = await openChannelDialog(one, say, name, 'members');
  await dialog.getByRole('searchbox').fill(ana.name);
  await toggleMember(one, say, ana.name, 'add');
  await expect(channelRow(member, name)).toBeVisible();
  await expect(channelRow(other, name)).toContainText('0/2');
  await expect(channelRow(one, name)).toContainText('0/2');
});

test('the count follows who enters and leaves, and who closes the window', async ({ world, open }) => {
  const { api, admin } = world;
  const people = [await api.person('Kim', admin.token), await api.person('Sol', admin.token)] as const;
  const { rtcSession, name } = await api.channel(admin, 'Compte', people);
  const list = await open(admin, channelsPath(name));
  const row = channelRow(list, name);
  await expect(row).toContainText('0/2');
  const kim = await open(people[0], roomPath(rtcSession));
  await expectReady(kim, 1);
  await expect(row).toContainText('1/2');
  const sol = await open(people[1], roomPath(rtcSession));
  await expectReady(sol, 2);
  await expect(row).toContainText('2/2');
  await kim.getByRole('button', { name: say('voice.room.leave'), exact: true }).click();
  await expect(row).toContainText('1/2');
  await expect(channelRow(kim, name), 'the list of who left says the same').toContainText('1/2');
  await sol.close();
  await expect(row).toContainText('0/2');
});

test('who is taken out of a channel is told, hears nothing more and finds it gone from the list', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const people = [await api.person('Ugo', admin.token), await api.person('Val', admin.token)] as const;
  const { id, rtcSession } = await api.channel(admin, 'Sortie', people);
  // The page may be reading the members' list again when its reader is taken out.
  const ugo = await open(people[0], roomPath(rtcSession), { expectedErrors: /status of 403/u });
  const val = await open(people[1], roomPath(rtcSession));
  for (const page of [ugo, val]) await expectReady(page, 2);
  await api.call(deleteUserFromChannel, { userId: people[0].id, channelId: id }, admin.token);
  await expect(ugo.getByRole('heading', { name: say('voice.closed.removed') })).toBeVisible();
  await expect(ugo.getByText(say('voice.closed.removedMore'))).toBeVisible();
  await expect(talkButton(ugo)).toHaveCount(0);
  await expectReady(val, 1);
  await ugo.getByRole('button', { name: say('voice.closed.back') }).click();
  await expect(ugo.getByText(say('channels.empty.memberText'))).toBeVisible();
});

test('[PRES16] a channel that is renamed keeps who is in its room; title and address follow, a lost link and a reload too', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const people = [await api.person('Wim', admin.token), await api.person('Xia', admin.token)] as const;
  const { id, name, rtcSession } = await api.channel(admin, 'Avant', people);
  const wim = await open(people[0], roomPath(rtcSession));
  const xia = await open(people[1], phonePath(rtcSession));
  for (const page of [wim, xia]) await expectReady(page, 2);
  const channelName = `Après ${name}`;
  const { res } = await api.call(updateChannel, { channelId: id, channelName }, admin.token);
  await expect(wim.getByRole('heading', { level: 1, name: channelName })).toBeVisible();
  await expect(wim).toHaveURL((url) => url.pathname === roomPath(res.rtcSession));
  await expect(xia).toHaveURL((url) => url.pathname === phonePath(res.rtcSession));
  for (const page of [wim, xia]) await expectReady(page, 2);
  await wim.context().setOffline(true);
  await expect(xia.locator('[data-tile][data-presence=failed]')).toHaveCount(1);
  await wim.context().setOffline(false);
  for (const page of [wim, xia]) await expectReady(page, 2);
  await wim.reload();
  for (const page of [wim, xia]) await expectReady(page, 2);
});

test('[ROOM22] [ROOM26] who is here, and what a lost link takes, are said whole on a small phone', async ({
  world,
  open,
}) => {
  const { api, admin, server } = world;
  const sayGerman = sayIn('de');
  const { id, rtcSession } = await api.channel(admin, 'Eng');
  // In the list below the room its name is longer than two lines.
  const { name } = await api.channel(admin, 'Accompagnement interdépartemental');
  const { path } = await api.call(createGuestLink, { channelId: id, name: 'Samu', hours: 1 }, admin.token);
  // Pages may ask for something at the very moment in which the server stops.
  const cut = { language: 'de', expectedErrors: /503 / } as const;
  const phone = await open(admin, roomPath(rtcSession), { ...cut, context: { viewport: { width: 360, height: 640 } } });
  const guest = await open(null, path, cut);
  await guest.getByLabel(sayGerman('guests.entry.name')).fill('Julie');
  await guest.getByRole('button', { name: sayGerman('guests.entry.submit') }).click();
  await expectReady(phone, 2);
  expect(await textsOutOfPlace(phone)).toEqual([]);
  await phone.getByRole('button', { name: sayGerman('voice.room.back') }).click();
  await expect(channelRow(phone, name)).toBeVisible();
  const news = phone.locator('[data-stay-bar]').getByText(sayGerman('voice.notice.lostMore'));
  await server.stop();
  await expect(news).toBeVisible();
  expect(await textsOutOfPlace(phone)).toEqual([]);
  const isWhole = news.evaluate((it) => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight);
  expect(await isWhole).toBe(true);
  await server.start();
});
