import type { Page } from '@playwright/test';
import { createGuestLink } from '@pressel/contract/guests';
import { updateUserPosition } from '@pressel/contract/positions';
import { getAllUsers } from '@pressel/contract/users';
import { chromium } from 'playwright';
import {
  channelsPath,
  expect,
  expectHeard,
  expectReady,
  expectSilence,
  type OpenOptions,
  press,
  release,
  roomPath,
  talkButton,
  test,
} from '../fixtures.ts';
import { accountButton, expectSpaceByFocus, logOut, signIn, signUp } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { launchOptions } from '../harness/browser.ts';
import { chooseImage, messageField, messageRow } from '../harness/chat.ts';
import { jpegWithPosition } from '../harness/images.ts';
import { drawnMap, LAND, marker, SEA, sharesOf, WIDE } from '../harness/map.ts';
import { sayIn } from '../harness/words.ts';

/** Everyday acts, in the second engine. Everything else is tested in Chromium alone (decision 035). */

const say = sayIn('fr');
const wide: OpenOptions = { context: { viewport: WIDE } };
const clickButton = (page: Page, key: string) => page.getByRole('button', { name: say(key) }).click();

test('somebody signs up, signs out, and signs in', async ({ world, open }) => {
  const page = await open(null, '/signup');
  const email = `${world.own('lou').replace(' ', '.')}@example.org`;
  const lastName = world.own('Petit');
  await signUp(page, say, { firstName: 'Lou', lastName, email, password: PASSWORD });
  await logOut(page, say, `Lou ${lastName}`);
  await signIn(page, say, email, PASSWORD);
  await expect(page).toHaveURL(/\/channelsList$/u);
  await expect(accountButton(page, say, `Lou ${lastName}`)).toBeVisible();
});

test('a file of users is reviewed, corrected and imported, and the list shows them', async ({ world, open }) => {
  const { api, admin, own } = world;
  const name = own('Feu');
  const login = (first: string) => `${first}.${name.replace(' ', '.').toLowerCase()}@example.org`;
  // Firefox keeps the server's content policy in all of these tests: it must let the worker run that reads the file.
  const page = await open(admin, '/usersList/import', wide);
  const lines = [
    'Prénom;Nom;Login;Pseudo;Mot de passe;Droit carte',
    `Ida;${name};${login('ida')};IDA;secret;oui`,
    `Noé;;${login('noe')};NOE;secret;non`,
  ];
  const file = { name: 'équipe.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(page.getByRole('grid')).toBeVisible();
  await clickButton(page, 'transfer.review.next');
  await page.keyboard.press('Enter');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: say('transfer.review.send_other', { count: 2 }) }).click();
  await clickButton(page, 'transfer.sure.confirm');
  await expect(page.getByRole('heading', { name: say('transfer.done.title') })).toBeVisible();
  const { res } = await api.call(getAllUsers, { filter: name }, admin.token);
  expect(res.map(({ firstName }) => firstName).toSorted()).toEqual(['Ida', 'Noé']);
  await page.goto(`/usersList?q=${encodeURIComponent(name)}`);
  await expect(page.locator('tbody tr')).toHaveCount(2);
});

test('in a room: voice by button and key, a message with an image, the map, and a link that is lost', async ({
  world,
  open,
}) => {
  const { api, admin, server } = world;
  const other = await api.person('Bob', admin.token);
  const { rtcSession } = await api.channel(admin, 'Renard', [other]);
  await api.call(updateUserPosition, { lat: 48.39, lng: -4.49 }, other.token);
  const ending = { expectedErrors: /status of 503|NetworkError/u };
  const mine = await open(admin, `${roomPath(rtcSession)}?panel=messages`, { ...wide, ...ending });
  const theirs = await open(other, `${roomPath(rtcSession)}?panel=messages`, { ...wide, ...ending, voice: 'down' });
  for (const page of [mine, theirs]) await expectReady(page, 2);

  await press(mine);
  await expectHeard(theirs, 'up', 400);
  await expect(talkButton(theirs)).toContainText(admin.firstName);
  await release(mine);
  await expectSilence(theirs);
  await theirs.keyboard.down('Space');
  await expectHeard(mine, 'down', 400);
  await theirs.keyboard.up('Space');
  await expect(talkButton(mine)).toHaveAttribute('data-state', 'idle');
  await expectSpaceByFocus(mine, say);

  await messageField(mine, say).pressSequentially('Bonjour');
  await messageField(mine, say).press('Enter');
  await expect(messageRow(theirs, 'Bonjour')).toBeVisible();
  const buffer = await jpegWithPosition(mine);
  const dialog = await chooseImage(mine, say, { name: 'porte.jpg', mimeType: 'image/jpeg', buffer });
  await dialog.getByLabel(say('chat.upload.caption')).pressSequentially('La porte sud');
  await dialog.getByRole('button', { name: say('chat.upload.send') }).click();
  const thumbnail = messageRow(theirs, 'La porte sud').getByRole('img');
  await expect.poll(() => thumbnail.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);

  await clickButton(mine, 'positions.map.showAll');
  await expect(marker(mine, other.id)).toBeInViewport();
  const [sea = 0, land = 0] = await sharesOf(drawnMap(mine), [SEA, LAND]);
  expect(sea + land, 'the map is drawn').toBeGreaterThan(0.3);

  await server.stop();
  await expect(talkButton(mine)).toHaveAttribute('data-state', /no_link|revoked/u);
  await server.start();
  for (const page of [mine, theirs]) await expectReady(page, 2);
  await press(mine);
  await expectHeard(theirs, 'up', 400);
  await release(mine);
});

test('Firefox and Chromium hear each other, and so does a guest who came by a link', async ({ world, open }) => {
  const { api, admin } = world;
  const other = await chromium.launch(launchOptions);
  try {
    const tom = await api.person('Tom', admin.token);
    const { id, rtcSession } = await api.channel(admin, 'Deux moteurs', [tom]);
    const { path } = await api.call(createGuestLink, { channelId: id, name: 'Samu', hours: 1 }, admin.token);
    const there = await open(tom, roomPath(rtcSession), { browser: other, voice: 'down' });
    await expectReady(there, 1);
    const guest = await open(null, path);
    await guest.getByLabel(say('guests.entry.name')).pressSequentially('Julie');
    await clickButton(guest, 'guests.entry.submit');
    for (const page of [there, guest]) await expectReady(page, 2);
    await press(guest);
    await expectHeard(there, 'up', 400);
    await release(guest);
    await expectSilence(there);
    await press(there);
    await expectHeard(guest, 'down', 400);
    await release(there);
    await there.context().close();
  } finally {
    await other.close();
  }
});

test('a call between two is taken, heard both ways and hung up', async ({ world, open }) => {
  const { api, admin } = world;
  const lea = await api.person('Léa', admin.token);
  const { rtcSession, name: channel } = await api.channel(admin, 'Appels', [lea]);
  const panelOf = (page: Page, name: string) => page.getByRole('dialog', { name: say('calls.title', { name }) });
  const act = (page: Page, name: string, key: string) =>
    panelOf(page, name)
      .getByRole('button', { name: say(`calls.${key}`), exact: true })
      .click();
  const radio = await open(lea, channelsPath(channel), { voice: 'down' });
  const desk = await open(admin, `${roomPath(rtcSession)}?panel=members`, wide);
  await expectReady(desk, 1);
  await desk
    .getByRole('tabpanel')
    .getByRole('button', { name: say('calls.start', { name: lea.name }) })
    .click();
  await act(radio, admin.name, 'accept');
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.inCall'));
  await Promise.all([expectHeard(desk, 'down', 400), expectHeard(radio, 'up', 400)]);
  await act(radio, admin.name, 'hangUp');
  await expect(panelOf(desk, lea.name)).toContainText(say('calls.end.hung_up'));
  await expectSilence(desk);
});

test('two rooms at once on the board: both are heard, and a talk to both outlives the server that is killed', async ({
  world,
  open,
}) => {
  const { api, admin, server } = world;
  const [lea, tom] = [await api.person('Léa', admin.token), await api.person('Tom', admin.token)];
  const north = await api.channel(admin, 'Renard nord', [lea]);
  const south = await api.channel(admin, 'Renard sud', [tom]);
  const ending = { expectedErrors: /status of 503|NetworkError/u };
  const inNorth = await open(lea, roomPath(north.rtcSession), { voice: 'down', ...ending });
  const inSouth = await open(tom, roomPath(south.rtcSession), { voice: 'down', ...ending });
  const desk = await open(admin, `/board?rooms=${north.id},${south.id}`, ending);
  const others = [inNorth, inSouth];
  for (const page of others) await expectReady(page, 2);
  for (const page of others) {
    await press(page);
    await expectHeard(desk, 'down', 300);
    await release(page);
    await expectSilence(desk);
  }
  await desk.getByRole('heading', { level: 1 }).click();
  await desk.keyboard.down('Space');
  await Promise.all(others.map((page) => expectHeard(page, 'up', 300)));
  await server.stop('SIGKILL');
  await server.start();
  for (const page of others) await expect(page.locator('[data-room-lost]')).toHaveCount(0, { timeout: 30_000 });
  await Promise.all(others.map((page) => expectHeard(page, 'up', 500)));
  await desk.keyboard.up('Space');
  for (const page of others) await expectSilence(page);
  for (const page of others) await expectReady(page, 2);
});
