import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { deleteUserFromChannel } from '@pressel/contract/channels';
import { getChannelMessages, getUnreadCounts, markMessagesRead, sendMessage } from '@pressel/contract/chat';
import { channelsPath, expect, roomPath, talkButton, test, type World } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { channelRow, focusSettled } from '../harness/acts.ts';
import type { Person } from '../harness/api.ts';
import { chooseImage, messageField, messageRow, messagesPanel, shownTexts, write } from '../harness/chat.ts';
import { jpegWithPosition, POSITION_MARK } from '../harness/images.ts';
import { encodePng } from '../harness/png.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');
const WIDE = { context: { viewport: { width: 1600, height: 900 } } };

/** A room with two members besides the administrator. */
async function room({ api, admin }: World) {
  const people = [await api.person('Lin', admin.token), await api.person('Mo', admin.token)] as const;
  const channel = await api.channel(admin, 'Messages', people);
  return { people, channel, path: roomPath(channel.rtcSession) };
}
const post = (world: World, who: Person, channelId: string, message: string) =>
  world.api.call(sendMessage, { channelId: channelId as never, message }, who.token);
const stored = async (world: World, channelId: string) =>
  (await world.api.call(getChannelMessages, { channelId: channelId as never, limit: 200 }, world.admin.token))
    .discussion;
const entered = (page: Page) => expect(talkButton(page)).toHaveAttribute('data-state', /idle|busy|no_microphone/u);

test('[CHATS12][CHATS13] what one types the other reads at once, and sees that it is being typed', async ({
  world,
  open,
}) => {
  const { people, path } = await room(world);
  const [lin, mo] = [await open(people[0], path, WIDE), await open(people[1], path, WIDE)];
  for (const page of [lin, mo]) {
    await entered(page);
    await expect(messagesPanel(page).getByText(say('chat.empty'))).toBeVisible();
  }
  await messageField(lin, say).pressSequentially('Porte');
  await expect(mo.getByText(say('chat.typing.one', { name: people[0].name }))).toBeVisible();
  await messageField(lin, say).press('Shift+Enter');
  await messageField(lin, say).pressSequentially('nord <b>ouverte</b> https://example.org/x.');
  await messageField(lin, say).press('Enter');
  const text = 'Porte\nnord <b>ouverte</b> https://example.org/x.';
  await expect.poll(() => shownTexts(mo)).toEqual([text]);
  await expect.poll(() => shownTexts(lin)).toEqual([text]);
  await expect(mo.getByText(say('chat.typing.one', { name: people[0].name }))).toHaveCount(0);
  await expect(messagesPanel(lin).locator('[data-message]')).toContainText(say('chat.me'));
  await expect(messagesPanel(mo).locator('[data-message]')).toContainText(people[0].name);
  const link = messagesPanel(mo).getByRole('link', { name: 'https://example.org/x' });
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
});

test('[CHATS14] a message is deleted for both, after a question; an administrator deletes any', async ({
  world,
  open,
}) => {
  const { people, path, channel } = await room(world);
  await post(world, people[1], channel.id, 'De Mo');
  const [lin, mo] = [await open(people[0], path, WIDE), await open(people[1], path, WIDE)];
  const admin = await open(world.admin, path, WIDE);
  for (const page of [lin, mo, admin]) await expect(messageRow(page, 'De Mo')).toBeVisible();
  for (const page of [lin, mo, admin]) await entered(page);
  await expect(messageRow(lin, 'De Mo').getByRole('button')).toHaveCount(0);
  await write(mo, say, 'Encore de Mo');
  await messageRow(mo, 'De Mo')
    .getByRole('button', { name: say('chat.row.delete') })
    .click();
  const question = mo.getByRole('dialog', { name: say('chat.delete.title') });
  await question.getByRole('button', { name: say('shared.cancel') }).click();
  await expect(messageRow(mo, 'De Mo')).toBeVisible();
  await messageRow(mo, 'De Mo')
    .getByRole('button', { name: say('chat.row.delete') })
    .click();
  await question.getByRole('button', { name: say('chat.delete.confirm') }).click();
  for (const page of [lin, mo, admin]) await expect(messageRow(page, 'De Mo')).toHaveCount(0);
  await messageRow(admin, 'Encore de Mo')
    .getByRole('button', { name: say('chat.row.delete') })
    .click();
  await admin.getByRole('button', { name: say('chat.delete.confirm') }).click();
  for (const page of [lin, mo, admin]) await expect(messageRow(page, 'Encore de Mo')).toHaveCount(0);
  expect(await stored(world, channel.id)).toEqual([]);
});

test('[CHATS41][CHATS43][CHATS44][CHATS46] an image is made smaller, outlasts Escape, Back and a reload, is uploaded, seen, enlarged, downloaded and deleted; the place where it was taken is gone', async ({
  world,
  open,
}) => {
  const { people, path, channel } = await room(world);
  const [lin, mo] = [await open(people[0], path, WIDE), await open(people[1], path, WIDE)];
  for (const page of [lin, mo]) await entered(page);
  const photo = await jpegWithPosition(lin);
  expect(photo.length).toBeGreaterThan(1_048_576);
  expect(photo.includes(POSITION_MARK)).toBe(true);
  const dialog = await chooseImage(lin, say, { name: 'porte.jpg', mimeType: 'image/jpeg', buffer: photo });
  await expect(dialog.getByRole('img', { name: 'porte.jpg' })).toBeVisible();
  await dialog.getByLabel(say('chat.upload.caption')).fill('La porte sud');
  await lin.keyboard.press('Escape');
  const unsent = messagesPanel(lin).getByRole('button', { name: new RegExp(say('chat.upload.unsent'), 'u') });
  await expect(unsent).toContainText('La porte sud');
  await unsent.click();
  await lin.goBack();
  await lin.goForward();
  await expect(unsent).toContainText('La porte sud');
  await expectAccessible(lin, 'an image that is not sent yet');
  await unsent.click();
  await dialog.getByLabel(say('chat.upload.caption')).fill('La porte sud !');
  await lin.reload();
  await unsent.click();
  await expect(dialog.getByRole('img', { name: 'porte.jpg' })).toBeVisible();
  await expect(dialog.getByLabel(say('chat.upload.caption'))).toHaveValue('La porte sud !');
  await dialog.getByLabel(say('chat.upload.caption')).fill('La porte sud');
  await dialog.getByRole('button', { name: say('chat.upload.send') }).click();
  await expect(dialog).toHaveCount(0);
  await expect(unsent).toHaveCount(0);
  const row = messageRow(mo, 'La porte sud');
  const thumbnail = row.getByRole('img');
  await expect(thumbnail).toHaveJSProperty('complete', true);
  expect(await thumbnail.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  const [message] = await stored(world, channel.id);
  expect(message?.file?.bytes).toBeLessThanOrEqual(1_048_576);
  expect((message?.file?.width ?? 0) / (message?.file?.height ?? 1)).toBeCloseTo(1.5, 1);

  await row.getByRole('button', { name: /Agrandir/u }).press('Enter');
  const viewer = mo.getByRole('dialog');
  await expect(viewer.getByRole('img', { name: /porte/u })).toHaveJSProperty('complete', true);
  await expectAccessible(mo, 'the image in full');
  const waiting = mo.waitForEvent('download');
  await viewer.getByRole('link').click();
  const download = await waiting;
  expect(download.suggestedFilename()).toMatch(/^porte\.\w+$/u);
  const bytes = await readFile(await download.path());
  expect(bytes.length).toBe(message?.file?.bytes);
  for (const mark of [POSITION_MARK, 'Exif', 'EXIF']) expect(bytes.includes(mark), mark).toBe(false);
  await mo.keyboard.press('Escape');
  await expect(viewer).toHaveCount(0);
  await expect(row.getByRole('button', { name: /Agrandir/u })).toBeFocused();

  await messageRow(lin, 'La porte sud')
    .getByRole('button', { name: say('chat.row.delete') })
    .click();
  await lin.getByRole('button', { name: say('chat.delete.confirm') }).click();
  await expect(row).toHaveCount(0);
  const gone = await mo.request.get(message?.file?.path ?? '');
  expect(gone.status()).toBe(404);
});

test('[CHATS40] [CHATS45] what is no image is refused with words, and so is one of more than 10 MB, for 3 s; one of a pixel is seen', async ({
  world,
  open,
}) => {
  const { people, path } = await room(world);
  const lin = await open(people[0], path, WIDE);
  await entered(lin);
  const dialog = await chooseImage(lin, say, {
    name: 'image.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  });
  await expect(dialog.getByText(say('chat.upload.fault.type'))).toBeVisible();
  await expect(dialog.getByText(say('chat.upload.valid'))).toBeVisible();
  await expectAccessible(lin, 'the choice of an image');
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'image.png',
    mimeType: 'image/png',
    buffer: Buffer.alloc(10_485_761),
  });
  await expect(dialog.getByText(say('chat.upload.fault.size'))).toBeVisible();
  await expect(dialog.getByText(say('chat.upload.fault.size'))).toHaveCount(0, { timeout: 10_000 });
  const pixel = encodePng(1, 1, Uint8Array.of(0, 200, 0, 0));
  await dialog.locator('input[type=file]').setInputFiles({ name: 'pixel.png', mimeType: 'image/png', buffer: pixel });
  const { width, height } = (await dialog.getByRole('img', { name: 'pixel.png' }).boundingBox()) ?? {};
  expect([width, height]).toEqual([44, 44]);
});

test('[CHATS20][CHATS23] what is written and chosen without a link, over a reload, arrives once and in order', async ({
  world,
  open,
}) => {
  const { people, path, channel } = await room(world);
  const options = { ...WIDE, expectedErrors: /ERR_INTERNET_DISCONNECTED|ERR_FAILED/u };
  const [lin, mo] = [await open(people[0], path, options), await open(people[1], path, WIDE)];
  for (const page of [lin, mo]) await entered(page);
  await write(lin, say, 'un');
  await expect(messageRow(mo, 'un')).toBeVisible();

  const photo = await jpegWithPosition(lin);
  await lin.context().setOffline(true);
  await expect(lin.getByText(say('chat.composer.offline'))).toBeVisible();
  await write(lin, say, 'deux');
  const dialog = await chooseImage(lin, say, { name: 'p.jpg', mimeType: 'image/jpeg', buffer: photo });
  await dialog.getByLabel(say('chat.upload.caption')).fill('trois');
  await dialog.getByRole('button', { name: say('chat.upload.send') }).click();
  await write(lin, say, 'quatre');
  await messageField(lin, say).fill('cinq, à moitié');
  await expect(messagesPanel(lin).locator('[data-pending=waiting]')).toHaveCount(3);
  await post(world, people[1], channel.id, 'entre-temps');

  // The page could not be loaded again if it were wholly offline. So its files come, and its calls don't.
  await lin.context().route(/\/user\/api\//u, (route) => route.abort());
  await lin.context().setOffline(false);
  await lin.reload();
  await expect(lin.getByText(say('app.offline.title'))).toBeVisible();
  await lin.context().unrouteAll();
  await expect
    .poll(() => shownTexts(lin), { timeout: 60_000 })
    .toEqual(['un', 'entre-temps', 'deux', 'trois', 'quatre']);
  await expect.poll(() => shownTexts(mo)).toEqual(['un', 'entre-temps', 'deux', 'trois', 'quatre']);
  await expect(messagesPanel(lin).locator('[data-pending]')).toHaveCount(0);
  await expect(messageField(lin, say)).toHaveValue('cinq, à moitié');
  expect((await stored(world, channel.id)).map(({ textMsg }) => textMsg)).toEqual(await shownTexts(mo));
});

test('[CHATS27] who was taken out of the channel meanwhile is told, and keeps the text', async ({ world, open }) => {
  const { people, path, channel } = await room(world);
  const options = { ...WIDE, expectedErrors: /ERR_INTERNET_DISCONNECTED|status of 403|ERR_FAILED/u };
  const lin = await open(people[0], path, options);
  await entered(lin);
  await lin.context().setOffline(true);
  await expect(lin.getByText(say('chat.composer.offline'))).toBeVisible();
  await write(lin, say, 'À qui de droit');
  await expect(messageRow(lin, 'À qui de droit')).toContainText(say('chat.pending.waiting'));
  await world.api.call(deleteUserFromChannel, { userId: people[0].id, channelId: channel.id }, world.admin.token);
  await lin.context().setOffline(false);
  const told = lin.getByRole('region', { name: say('channels.unsent.title_one', { count: 1 }) });
  await expect(told).toContainText('À qui de droit');
  await expectAccessible(lin, 'the room that is closed, with what could not be sent');
  await lin.getByRole('button', { name: say('voice.closed.back') }).click();
  await expect(told).toContainText('À qui de droit');
  await expect(told).toContainText(say('channels.unsent.channel', { name: channel.name }));
  await expectAccessible(lin, 'what could not be sent');
  await lin.reload();
  await expect(told).toContainText('À qui de droit');
  await told.getByRole('button', { name: say('channels.unsent.discard') }).click();
  await expect(told).toHaveCount(0);
  expect(await stored(world, channel.id)).toEqual([]);
});

test('[CHATS10][CHATS15][CHATS53] list and tab mark what was not read, until it was on the screen', async ({
  world,
  open,
}) => {
  const { people, path, channel } = await room(world);
  const list = await open(people[0], channelsPath(channel.name), WIDE);
  const row = channelRow(list, channel.name);
  await expect(row).toBeVisible();
  await expect(row.locator('[data-unread]')).toHaveCount(0);
  await post(world, people[1], channel.id, 'Premier');
  await expect(row.locator('[data-unread="1"]')).toBeVisible();
  await post(world, people[1], channel.id, 'Deuxième');
  await expect(row).toContainText(say('channels.unread_other', { count: 2 }));
  await expectAccessible(list, 'a channel with unread messages');
  await list.reload();
  await expect(row.locator('[data-unread="2"]')).toBeVisible();
  await expect(list).toHaveTitle(/^\(2\) /u);
  const lin = await open(people[0], path, WIDE);
  await expect(lin.locator('[data-new-line]')).toBeVisible();
  await expect(row.locator('[data-unread]')).toHaveCount(0);
  await expect(list).toHaveTitle(/^[^(]/u);
  // Each channel has its own choice of alerts.
  await messagesPanel(lin)
    .getByRole('button', { name: say('chat.alerts.title') })
    .click();
  const alerts = lin.getByRole('dialog', { name: say('chat.alerts.title') });
  await expectAccessible(lin, 'how the messages of a channel call');
  await alerts.getByRole('switch', { name: say('chat.alerts.count') }).uncheck({ force: true });
  await lin.keyboard.press('Escape');
  await expect(alerts).toHaveCount(0);
  // An administrator sees who read it.
  const admin = await open(world.admin, path, WIDE);
  await messageRow(admin, 'Deuxième').hover();
  await messageRow(admin, 'Deuxième')
    .getByRole('button', { name: say('chat.row.readers') })
    .click();
  await expect(admin.getByRole('dialog', { name: say('chat.readers.title') })).toContainText(people[0].name);
});

test('[CHATS1][CHATS7][CHATS16][CHATS50] a long history loads backwards without a jump, and is searched', async ({
  world,
  open,
}) => {
  const { people, path, channel } = await room(world);
  const writers = [world.admin, ...people, await world.api.person('Zed', world.admin.token)];
  await fill(world, channel.id, writers.slice(0, 3), 75);
  await world.api.call(markMessagesRead, { channelId: channel.id, from: 1, to: 40 }, people[0].token);
  const lin = await open(people[0], path, WIDE);
  const list = messagesPanel(lin).locator('[data-message-list]');
  // Older pages wait until the place of the visible messages was measured.
  let letCome = () => {};
  const isMeasured = new Promise<void>((resolve) => {
    letCome = resolve;
  });
  await lin.route('**/user/api/getchannelmessagelistForAdmin', async (route) => {
    if (route.request().postData()?.includes('"before"')) await isMeasured;
    await route.continue();
  });
  // The list opens at its end even if messages are unread, and says what is further up.
  await expect(messageRow(lin, 'Ronde 75')).toBeInViewport();
  await expect(lin.locator('[data-backlog]')).toBeVisible();
  const unread = () => world.api.call(getUnreadCounts, {}, people[0].token);
  await expect.poll(async () => (await unread()).res, 'the end was seen').toEqual([]);
  await list.hover();
  const place = async () => (await messageRow(lin, 'Ronde 32').boundingBox())?.y ?? 0;
  await expect(async () => {
    await lin.mouse.wheel(0, -300);
    await expect(messageRow(lin, 'Ronde 32')).toBeInViewport({ timeout: 300 });
  }).toPass();
  const top = () => list.evaluate((element) => element.scrollTop);
  const [before, scrolled] = [await place(), await top()];
  letCome();
  await expect.poll(top).toBeGreaterThan(scrolled + 500);
  expect(Math.abs((await place()) - before), 'what is read stays where it is').toBeLessThan(2);
  await post(world, people[1], channel.id, 'Encore une');
  const jump = messagesPanel(lin).getByRole('button', { name: say('chat.jump.count_one', { count: 1 }) });
  await expect(jump).toBeVisible();
  expect(Math.abs((await place()) - before), 'who reads above is left there').toBeLessThan(2);
  await jump.click();
  await expect(messageRow(lin, 'Encore une')).toBeInViewport();

  await messagesPanel(lin).getByRole('searchbox').fill('RONDE 7');
  const found = messagesPanel(lin).getByRole('list', { name: say('chat.search.results') });
  await expect(found.getByRole('listitem')).toHaveCount(7);
  await expectAccessible(lin, 'search in the messages');
  await found.getByRole('button', { name: /Ronde 7$/u }).click();
  await expect(messageRow(lin, 'Ronde 7')).toBeInViewport();

  // More than a page is unread: the list opens at its end, and a bar leads to the beginning of the unread messages.
  const mo = await open(people[1], path, WIDE);
  await expect(messageRow(mo, 'Encore une')).toBeInViewport();
  const bar = mo.locator('[data-backlog]');
  await expect(bar).toContainText(/^\d\d non lus depuis /u);
  await expectAccessible(mo, 'messages that were not read');
  // The end was seen, so nothing is unread any more. The bar stays, even after a reload.
  await expect(mo.locator('[data-unread]')).toHaveCount(0);
  await mo.reload();
  await bar.getByRole('button').first().click();
  await expect(messagesPanel(mo).getByText(say('chat.new'), { exact: true })).toBeInViewport();
  await expect(messageRow(mo, 'Ronde 1')).toBeInViewport();
  await expect(bar).toHaveCount(0);
});

/** Writes as quickly as the server allows: people take turns, because each may write only so much. */
async function fill(world: World, channelId: string, writers: readonly Person[], count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    const who = writers[n % writers.length];
    if (who !== undefined) await post(world, who, channelId, `Ronde ${n}`);
  }
}

test('[CHATS33] by keyboard alone: write, leave the field, talk by the key, delete', async ({ world, open }) => {
  const { people, path } = await room(world);
  const lin = await open(people[0], path, WIDE);
  await entered(lin);
  await messageField(lin, say).focus();
  await lin.keyboard.type('au clavier seul');
  await expect(talkButton(lin)).toHaveAttribute('data-state', 'idle');
  await lin.keyboard.press('Escape');
  await expect(messageField(lin, say)).not.toBeFocused();
  await expect(messageField(lin, say)).toHaveValue('au clavier seul');
  await lin.keyboard.down('Space');
  await expect(talkButton(lin)).toHaveAttribute('data-state', 'talking');
  await lin.keyboard.up('Space');
  await expect(talkButton(lin)).toHaveAttribute('data-state', 'idle');
  await messageField(lin, say).focus();
  await lin.keyboard.press('Enter');
  await expect(messageRow(lin, 'au clavier seul').locator('[data-message]')).toBeVisible();
  // Paperclip, then the message's own button.
  await lin.keyboard.press('Shift+Tab');
  await lin.keyboard.press('Shift+Tab');
  await expect(messageRow(lin, 'au clavier seul').getByRole('button', { name: say('chat.row.delete') })).toBeFocused();
  await lin.keyboard.press('Enter');
  const question = lin.getByRole('dialog', { name: say('chat.delete.title') });
  await expect(question.getByRole('button').first()).toBeFocused();
  await focusSettled(lin);
  await lin.keyboard.press('Tab');
  await expect(question.getByRole('button').last()).toBeFocused();
  await lin.keyboard.press('Enter');
  await expect(messagesPanel(lin).getByText(say('chat.empty'))).toBeVisible();
});
