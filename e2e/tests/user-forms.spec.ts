import { crc32, deflateSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { logIn } from '@pressel/contract/auth';
import { deleteUser, getAllUsers, getUserById, updateUserData } from '@pressel/contract/users';
import { expect, test } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { accountButton, channelRow, closeAccountCard, fillSignIn, pressSignIn } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { turnTo } from '../harness/tour.ts';
import { type Say, sayIn } from '../harness/words.ts';

/** Options of a page whose refusals are on purpose. The content security policy is in force. */
const refused = { expectedErrors: /status of 4\d\d/u, context: { bypassCSP: false } };

const field = (place: Locator | Page, say: Say, name: string) =>
  place.getByLabel(say(`userForm.field.${name}`), { exact: true });

const profilePath = (id: string) => `/usersList?panel=${id}`;

/** Gives one's own password on the page of a profile, and waits for the form. */
async function openProfile(page: Page, say: Say): Promise<Locator> {
  const question = page.getByRole('dialog', { name: say('userForm.verify.title') });
  await question.getByLabel(say('userForm.verify.field'), { exact: true }).fill(PASSWORD);
  await question.getByRole('button', { name: say('userForm.verify.submit') }).click();
  const form = page.getByRole('dialog', { name: say('userForm.edit.title') });
  await expect(field(form, say, 'firstName')).toBeVisible();
  return form;
}

test('a user added with two channels signs in and sees both', async ({ world, open }) => {
  const say = sayIn('fr');
  const { api, admin, own } = world;
  const north = await api.channel(admin, 'Nord');
  const south = await api.channel(admin, 'Sud');
  const east = await api.channel(admin, 'Est');
  const page = await open(admin, '/usersList?panel=create', refused);
  const form = page.getByRole('dialog', { name: say('userForm.add.title') });
  await expect(field(form, say, 'firstName')).toBeFocused();
  await form.getByRole('button', { name: say('userForm.add.submit'), exact: true }).click();
  await expect(form.getByRole('alert')).toContainText(say('userForm.add.failed'));
  await expect(form.getByRole('alert')).toContainText(say('userForm.fault.empty'));
  await expect(form.getByText(say('forms.fault.required'))).toHaveCount(4);
  await expectAccessible(page, 'a new user');
  const email = `${own('zoe').replace(' ', '.')}@example.org`;
  await field(form, say, 'firstName').fill('  Zoé');
  await field(form, say, 'lastName').fill('Petit');
  await field(form, say, 'login').fill(email);
  await field(form, say, 'pseudo').fill('ZOE');
  await field(form, say, 'password').fill('s3cret!');
  await field(form, say, 'repetition').fill('s3cret');
  await expect(form.getByText(say('userForm.fault.mismatch'))).toBeVisible();
  await field(form, say, 'repetition').fill('s3cret!');
  await form.getByRole('switch', { name: say('userForm.field.mapRight') }).click();
  const search = form.getByRole('searchbox');
  for (const { name } of [north, south]) {
    await search.fill(name);
    await form.getByRole('checkbox', { name: say('shared.picker.one', { name }) }).check();
  }
  await form.getByRole('button', { name: say('userForm.add.submit'), exact: true }).click();
  await expect(page.getByText(say('userForm.add.done'))).toBeVisible();
  await expect(page.getByRole('dialog').getByText(new URL(page.url()).origin)).toBeVisible();
  await expectAccessible(page, 'the card of a new account');
  await closeAccountCard(page, say, 'Zoé Petit');

  const theirs = await open(null, '/signin', refused);
  await fillSignIn(theirs, say, email, 's3cret!');
  await pressSignIn(theirs, say);
  await expect(accountButton(theirs, say, 'Zoé Petit')).toBeVisible();
  await expect(channelRow(theirs, north.name)).toBeVisible();
  await expect(channelRow(theirs, south.name)).toBeVisible();
  await expect(channelRow(theirs, east.name)).toHaveCount(0);

  await turnTo(page, '/usersList?panel=create');
  for (const name of ['firstName', 'lastName', 'password', 'repetition']) await field(form, say, name).fill('Autre');
  await field(form, say, 'login').fill(email.toUpperCase());
  await form.getByRole('button', { name: say('userForm.add.submit'), exact: true }).click();
  await expect(form.getByText(say('shared.errors.duplicate_login'))).toBeVisible();
  await expect(field(form, say, 'login')).toBeFocused();
  await expect(field(form, say, 'firstName')).toHaveValue('Autre');
});

test("an edit asks for one's own password first, then changes names, photo and channels", async ({ world, open }) => {
  const say = sayIn('de');
  const { api, admin } = world;
  const hugo = await api.person('Hugo', admin.token);
  const before = await api.channel(admin, 'Avant', [hugo]);
  const after = await api.channel(admin, 'Apres');
  const page = await open(admin, profilePath(hugo.id), { language: 'de', ...refused });
  const question = page.getByRole('dialog', { name: say('userForm.verify.title') });
  const password = question.getByLabel(say('userForm.verify.field'), { exact: true });
  await expect(password).toBeFocused();
  await password.fill('wrong');
  await page.keyboard.press('Enter');
  await expect(question.getByText(say('userForm.verify.wrong'))).toBeVisible();
  await expectAccessible(page, 'the question');
  const form = await openProfile(page, say);
  await expect(field(form, say, 'login')).toHaveAttribute('readonly', '');
  const box = ({ name }: { name: string }) => form.getByRole('checkbox', { name: say('shared.picker.one', { name }) });
  const search = form.getByRole('searchbox');
  await search.fill(before.name);
  await expect(box(before)).toBeChecked();
  await box(before).uncheck();
  await search.fill(after.name);
  await box(after).check();
  await field(form, say, 'lastName').fill('Bernard');
  await form.locator('input[type=file]').setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: png(600, 400) });
  await expect(form.locator('img')).toBeVisible();
  await field(form, say, 'newPassword').fill('neuf');
  await form.getByRole('button', { name: say('userForm.edit.submit'), exact: true }).click();
  await expect(form.getByRole('alert')).toContainText(say('userForm.edit.failed'));
  await expect(form.getByRole('alert')).toContainText(say('userForm.fault.mismatch'));
  await expectAccessible(page, 'an edit with a fault');
  await field(form, say, 'repetition').fill('neuf');
  await form.getByRole('button', { name: say('userForm.edit.submit'), exact: true }).click();
  await expect(page.getByText(say('userForm.edit.done'))).toBeVisible();
  await closeAccountCard(page, say, `${hugo.firstName} Bernard`);
  const { res } = await api.call(getUserById, { userId: hugo.id }, admin.token);
  expect(res).toMatchObject({ lastName: 'Bernard', channels: [{ id: after.id }] });
  expect(res.photo_url).not.toBeNull();
  await api.call(logIn, { user_email: hugo.email, user_password: 'neuf' });
  await turnTo(page, profilePath(hugo.id));
  await expect(password, 'asked again, each time').toBeVisible();
});

test('two pages of an administrator, one user: the second is told, chooses field by field, and nothing is lost', async ({
  world,
  open,
}) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const ines = await api.person('Ines', admin.token);
  const first = await open(admin, profilePath(ines.id), { expectedErrors: /409/u });
  const second = await open(admin, profilePath(ines.id), { expectedErrors: /409/u });
  const mine = await openProfile(first, say);
  const theirs = await openProfile(second, say);
  await field(mine, say, 'lastName').fill('Moreau');
  await field(mine, say, 'pseudo').fill('INES');
  await field(theirs, say, 'lastName').fill('Lefebvre');
  await field(theirs, say, 'phone').fill('01 02 03');
  await theirs.getByRole('button', { name: say('userForm.edit.submit'), exact: true }).click();
  await expect(theirs).toHaveCount(0);

  const title = say('userForm.conflict.titleOwn');
  const conflict = mine.getByRole('region', { name: title });
  await expect(mine.getByRole('alert'), 'told while one is still typing').toContainText(title);
  await expect(conflict.getByText('Lefebvre')).toBeVisible();
  await expect(conflict.getByText('Moreau')).toBeVisible();
  await expect(field(mine, say, 'phone'), 'what was not touched here follows').toHaveValue('01 02 03');
  await mine.getByRole('button', { name: say('userForm.edit.submit'), exact: true }).click();
  await expect(mine.getByText(say('userForm.fault.choose'))).toBeVisible();
  await expect(conflict.getByRole('radio', { name: 'Lefebvre' })).toBeFocused();
  await expectAccessible(first, 'conflict');
  await conflict.getByRole('radio', { name: 'Moreau' }).check();
  await mine.getByRole('button', { name: say('userForm.edit.submit'), exact: true }).click();
  await expect(mine).toHaveCount(0);
  const { res } = await api.call(getUserById, { userId: ines.id }, admin.token);
  expect(res).toMatchObject({ lastName: 'Moreau', pseudo: 'INES', phone_number: '01 02 03' });
});

test('unsaved work is asked about, and a deleted user is told', async ({ world, open }) => {
  const say = sayIn('en');
  const { api, admin } = world;
  const gone = await api.person('Parti', admin.token);
  const page = await open(admin, '/usersList?panel=create', { language: 'en', ...refused });
  const form = page.getByRole('dialog', { name: say('userForm.add.title') });
  await field(form, say, 'firstName').fill('Half');
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: say('shared.unsaved.title') });
  await question.getByRole('button', { name: say('shared.unsaved.stay') }).click();
  await expect(field(form, say, 'firstName')).toHaveValue('Half');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: say('shared.unsaved.discard') }).click();
  await expect(form).toHaveCount(0);

  await turnTo(page, profilePath(gone.id));
  const edit = await openProfile(page, say);
  await field(edit, say, 'lastName').fill('Nobody');
  await api.call(deleteUser, { UserId: gone.id }, admin.token);
  await expect(edit.getByText(say('userForm.edit.gone'))).toBeVisible();
});

test('a member changes their own names, photo and password', async ({ world, open }) => {
  const say = sayIn('en');
  const { api, admin } = world;
  const nora = await api.person('Nora', admin.token);
  const elsewhere = await api.call(logIn, { user_email: nora.email, user_password: PASSWORD });
  const page = await open(nora, '/channelsList', { language: 'en', ...refused });
  await accountButton(page, say, nora.name).click();
  await page.getByRole('menuitem', { name: say('app.account.profile') }).click();
  await expect(page.getByRole('heading', { name: say('userForm.profile.title') })).toBeVisible();
  await expect(page.getByText(nora.email)).toBeVisible();
  await expectAccessible(page, 'profile');
  const photo = page.getByRole('group', { name: say('userForm.photo.label') });
  await photo.locator('input[type=file]').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: png(1, 1) });
  await expect(photo.getByRole('alert')).toHaveText(say('userForm.photo.type'));
  await photo
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png(1, 1).subarray(0, 40) });
  await expect(photo.getByRole('alert')).toHaveText(say('userForm.photo.unreadable'));
  await photo
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png(900, 300) });
  await expect(photo.locator('img')).toBeVisible();
  await field(page, say, 'firstName').fill('Éléonore');
  await page.getByRole('button', { name: say('userForm.profile.submit'), exact: true }).click();
  await expect(page.getByText(say('userForm.profile.done'))).toBeVisible();
  await expect(accountButton(page, say, `Éléonore ${nora.lastName}`)).toBeVisible();
  await page.reload();
  await expect(photo.locator('img')).toBeVisible();
  expect(
    await photo.locator('img').evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]),
  ).toEqual([256, 256]);

  const change = page.getByRole('button', { name: say('userForm.profile.passwordSubmit') });
  await page.getByLabel(say('userForm.profile.current'), { exact: true }).fill('wrong');
  await field(page, say, 'newPassword').fill('new-one');
  await field(page, say, 'repetition').fill('new-one');
  await change.click();
  await expect(page.getByText(say('userForm.verify.wrong'))).toBeVisible();
  await page.getByLabel(say('userForm.profile.current'), { exact: true }).fill(PASSWORD);
  await change.click();
  await expect(page.getByText(say('userForm.profile.passwordDoneText'))).toBeVisible();
  await api.call(logIn, { user_email: nora.email, user_password: 'new-one' });
  const ended = api.call(getUserById, { userId: nora.id }, elsewhere.user.authToken);
  await expect(ended, 'the other session').rejects.toThrow(/401/u);
  await page.reload();
  await expect(field(page, say, 'firstName'), 'this one goes on').toHaveValue('Éléonore');
});

test('the last administrator can not step down: told at the role, and nothing else is stored', async ({
  world,
  open,
}) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  // Other tests may have left administrators on the worker's server.
  const { res: users } = await api.call(getAllUsers, {}, admin.token);
  for (const other of users.filter(({ id, role }) => role === 'admin' && id !== admin.id))
    await api.call(deleteUser, { UserId: other.id }, admin.token);
  const page = await open(admin, profilePath(admin.id), { expectedErrors: /409/u });
  const form = await openProfile(page, say);
  await field(form, say, 'role').selectOption('member');
  await expect(form.getByText(say('userForm.role.ownWarning'))).toBeVisible();
  await field(form, say, 'pseudo').fill('CHEF');
  await form.getByRole('button', { name: say('userForm.edit.submit'), exact: true }).click();
  await expect(form.getByText(say('shared.errors.last_admin'))).toBeVisible();
  await expect(field(form, say, 'role')).toBeFocused();
  const { res } = await api.call(getUserById, { userId: admin.id }, admin.token);
  expect(res).toMatchObject({ role: 'admin', pseudo: '' });
  await api.call(updateUserData, { id: admin.id, firstName: admin.firstName, lastName: admin.lastName }, admin.token);
});

/** A picture of one colour, as a real PNG (RFC 2083). */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x55)]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

test('a photo that a phone took upright stands upright', async ({ world, open }) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const page = await open(await api.person('Debout', admin.token), '/profile');
  // Red is on the left, blue on the right. Turned by a quarter (EXIF orientation 6), red is above.
  const flat = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 64;
    canvas.height = 64;
    const context = canvas.getContext('2d');
    for (const [index, colour] of ['#f00', '#00f'].entries()) {
      if (context === null) continue;
      context.fillStyle = colour;
      context.fillRect(index * 32, 0, 32, 64);
    }
    return canvas.toDataURL('image/jpeg').split(',')[1] ?? '';
  });
  const buffer = turned(Buffer.from(flat, 'base64'));
  const photo = page.getByRole('group', { name: say('userForm.photo.label') });
  await photo.locator('input[type=file]').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer });
  await expect(photo.locator('img')).toBeVisible();
  const colours = await photo.locator('img').evaluate(async (image: HTMLImageElement) => {
    await image.decode();
    const context = Object.assign(document.createElement('canvas'), { width: 256, height: 256 }).getContext('2d');
    context?.drawImage(image, 0, 0);
    return [32, 224].map((y) => [...(context?.getImageData(128, y, 1, 1).data ?? [])].map((part) => part > 127));
  });
  expect(colours).toEqual([
    [true, false, false, true],
    [false, false, true, true],
  ]);
});

/** A JPEG with the mark that it has to be turned by a quarter (EXIF 2.3, tag 0x0112 with value 6). */
function turned(jpeg: Buffer): Buffer {
  const exif = Buffer.from(
    '457869660000' + '4d4d002a00000008' + '0001' + '011200030000000100060000' + '00000000',
    'hex',
  );
  const size = Buffer.alloc(2);
  size.writeUInt16BE(exif.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), size, exif, jpeg.subarray(2)]);
}
