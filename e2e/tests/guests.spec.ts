import type { Page } from '@playwright/test';
import { createGuestLink, withdrawGuestLink } from '@pressel/contract/guests';
import {
  channelsPath,
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  type OpenOptions,
  release,
  roomPath,
  talk,
  talkButton,
  test,
} from '../fixtures.ts';
import { channelRow } from '../harness/acts.ts';
import { LANGUAGES, sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const withCamera = (width = 1280, height = 800): OpenOptions => ({
  context: { permissions: ['microphone', 'camera'], viewport: { width, height } },
});
const title = (page: Page) => page.getByRole('heading', { level: 1 });
const linksDialog = (page: Page) => page.getByRole('dialog', { name: say('guests.dialog.title') });

/** Makes a link in the open dialog. @returns its address */
async function makeInDialog(page: Page, name: string): Promise<string> {
  const dialog = linksDialog(page);
  await dialog.getByLabel(say('guests.make.name')).fill(name);
  await dialog.getByRole('button', { name: say('guests.make.submit') }).click();
  const address = dialog.getByLabel(say('guests.made.address'));
  await expect(address).toHaveValue(/#guest=/u);
  return address.inputValue();
}

/** Goes from the page of a link into the room. */
async function enterAs(page: Page, name: string): Promise<void> {
  await page.getByLabel(say('guests.entry.name')).fill(name);
  await page.getByRole('button', { name: say('guests.entry.submit') }).click();
}

test('[GUEST3] [GUEST8] [GUEST10] a link is made, its guest hears and is heard, and is out when it is withdrawn', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { rtcSession } = await api.channel(admin, 'Secours', []);
  const desk = await open(admin, roomPath(rtcSession));
  await expectReady(desk, 1);
  await desk.getByRole('button', { name: say('voice.room.guests') }).click();
  const address = await makeInDialog(desk, 'Pompiers de Lyon');
  await linksDialog(desk)
    .getByRole('button', { name: say('guests.made.done') })
    .click();
  await expect(linksDialog(desk).getByLabel(say('guests.made.address'))).toHaveCount(0);

  const guest = await open(null, address, { voice: 'down', ...withCamera() });
  // The token is neither in the address nor in what the browser keeps.
  await expect(guest).toHaveURL(/\/join\/[^#]+#guest$/u);
  const token = address.split('#guest=')[1] ?? '';
  expect(JSON.stringify(await guest.context().storageState())).not.toContain(token);
  await enterAs(guest, 'Julie');
  await expectReady(guest, 2);
  await expect(linksDialog(desk).getByRole('list').getByText('Julie', { exact: true })).toBeVisible();
  await desk.keyboard.press('Escape');
  await expect(linksDialog(desk)).toHaveCount(0);
  const tile = desk.locator('[data-tile]').filter({ hasText: 'Julie (Pompiers de Lyon)' });
  await expect(tile).toContainText(say('voice.tile.guest'));

  await talk(guest, () => expectHeard(desk, 'down', 400));
  await release(guest);
  await expectSilence(desk);
  await talk(desk, () => expectHeard(guest, 'up', 400));
  await release(desk);
  await expect(talkButton(desk)).toHaveAttribute('data-state', 'idle');

  await desk.getByRole('button', { name: say('voice.room.guests') }).click();
  const name = 'Pompiers de Lyon';
  await linksDialog(desk)
    .getByRole('button', { name: say('guests.withdraw.of', { name }) })
    .click();
  const question = desk.getByRole('dialog', { name: say('guests.withdraw.title') });
  await expect(question).toContainText(say('guests.withdraw.here_one', { count: 1 }));
  await question.getByRole('button', { name: say('guests.withdraw.confirm') }).click();
  await expect(title(guest)).toHaveText(say('guests.over.withdrawn'));
  await expect(question).toHaveCount(0);
  await expect(linksDialog(desk).getByText(say('guests.link.withdrawn'))).toBeVisible();
  await expect(tile).toHaveCount(0);
  // The page has nothing of it any more.
  await guest.reload();
  await expect(title(guest)).toHaveText(say('guests.over.used'));
});

test('[GUEST12] a guest leaves and comes back; links that open nothing say which', async ({ world, open }) => {
  const { api, admin } = world;
  const { id: channelId, rtcSession } = await api.channel(admin, 'Portes', []);
  const link = await api.call(createGuestLink, { channelId, name: 'Samu', hours: 1 }, admin.token);
  // The account that is signed in in the same browser is not the one that enters.
  const page = await open(admin, '/profile', withCamera());
  await page.goto(link.path);
  await enterAs(page, 'Max');
  await expectReady(page, 1);
  await page.getByRole('button', { name: say('voice.room.leave'), exact: true }).click();
  await expect(title(page)).toHaveText(say('guests.over.left'));
  await page.getByRole('button', { name: say('guests.over.again') }).click();
  await expectReady(page, 1);
  await api.call(withdrawGuestLink, { linkId: link.res.id }, admin.token);
  await expect(title(page)).toHaveText(say('guests.over.withdrawn'));
  await page.goto('/notFound');
  await page.goto(link.path);
  await expect(title(page)).toHaveText(say('guests.over.withdrawn'));
  await page.goto('/notFound');
  await page.goto(`/join/${encodeURIComponent(rtcSession)}#guest=wrong`);
  await expect(title(page)).toHaveText(say('guests.over.unknown'));
});

test('[GUEST13] links are reached from the list of channels, too', async ({ world, open }) => {
  const { api, admin } = world;
  const { name } = await api.channel(admin, 'Liste', []);
  const page = await open(admin, channelsPath(name));
  await channelRow(page, name)
    .getByRole('button', { name: say('channels.guestsOf', { name }) })
    .click();
  await expect(linksDialog(page)).toContainText(say('guests.dialog.none'));
  await makeInDialog(page, 'Croix-Rouge');
  await expect(linksDialog(page).getByRole('listitem')).toContainText('Croix-Rouge');
});

test('[ROOM22] on a small phone the number of who is here begins beside the sign of the link, in every language', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const { id, rtcSession } = await api.channel(admin, 'Coordination interdépartementale', []);
  const { path } = await api.call(createGuestLink, { channelId: id, name: 'Samu', hours: 1 }, admin.token);
  const guest = await open(null, path, withCamera());
  await enterAs(guest, 'Julie');
  await expectReady(guest, 1);
  for (const language of LANGUAGES) {
    const { context } = withCamera(360, 780);
    const phone = await open(admin, roomPath(rtcSession), { language, ...(context && { context }) });
    const facts = phone.locator('header p > span');
    await expect(facts.nth(1)).toContainText(sayIn(language)('voice.room.guestsHere_one', { count: 1 }));
    const tops = () => facts.evaluateAll((all) => all.map((one) => Math.round(one.getClientRects()[0]?.top ?? 0)));
    await expect
      .poll(async () => Math.abs(((await tops())[1] ?? 0) - ((await tops())[0] ?? 0)), language)
      .toBeLessThan(8);
  }
});
