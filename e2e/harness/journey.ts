import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import {
  channelRow,
  closeAccountCard,
  closeMenu,
  fillSignIn,
  fillSignUp,
  openChannelDialog,
  pressSignIn,
  type Registration,
  switchLanguage,
  toggleMember,
} from './acts.ts';
import { chooseImage, messageField, messageRow, messagesPanel, write } from './chat.ts';
import { LANGUAGES, type Language, type Say } from './words.ts';

/** The steps of the journey through the specification, by its screens, in one language. */

export interface Traveller {
  page: Page;
  say: Say;
}

/** 'dd MMM yyyy HH:mm' (spec §9), as each language writes its months. */
export const MOMENT = /\d\d \p{L}+\.? \d{4} \d\d:\d\d/u;

const button = (place: Page | Locator, name: string): Locator => place.getByRole('button', { name, exact: true });
const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

/**
 * §2: without a session every way leads to the door, which on an empty server is the sign-up, in French. §9: another language is chosen
 * there, and stays.
 */
export async function comeToTheDoor({ page, say }: Traveller, language: Language): Promise<void> {
  await expect(page).toHaveURL(/\/signup$/u);
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  if (language !== 'fr') await switchLanguage(page, language);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('lang', language);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('auth.signUp.title'));
  await expect(page).toHaveTitle(`${say('auth.signUp.title')} · Pressel`);
  await expect(
    page.getByText(say('auth.version', { version: '2.0.2', mode: say('auth.mode.production') })),
  ).toBeVisible();
}

/** §5: what is wrong with names, login and password; for a password it is a hint. */
export async function beCorrected({ page, say }: Traveller): Promise<void> {
  const submit = page.getByRole('button', { name: say('auth.signUp.submit') });
  const password = page.getByLabel(say('auth.field.password'), { exact: true });
  await fillSignUp(page, say, { firstName: '', lastName: '', email: 'x', password: 'p' });
  await expect(page.getByText(say('forms.hint.short'))).toBeVisible();
  await password.fill('more than eight');
  await expect(page.getByText(say('forms.hint.long', { max: 8 }))).toBeVisible();
  await submit.click();
  await expect(page.getByText(say('forms.fault.required'))).toHaveCount(2);
  await expect(page.getByText(say('forms.fault.loginTooShort', { min: 2 }))).toBeVisible();
  for (const [login, fault] of [
    ['nobody', say('forms.fault.invalidEmail')],
    [`${'n'.repeat(50)}@example.org`, say('forms.fault.loginTooLong', { max: 50 })],
  ] as const) {
    await page.getByLabel(say('auth.field.login')).fill(login);
    await submit.click();
    await expect(page.getByText(fault)).toBeVisible();
  }
}

/** §8, §4: a wrong password is refused; the right one leads to the channels, and the session is kept as §3 says. */
export async function comeIn({ page, say }: Traveller, { email, password }: Registration): Promise<void> {
  await fillSignIn(page, say, email, 'wrong');
  await pressSignIn(page, say);
  await expect(page.getByText(say('shared.errors.bad_credentials'))).toBeVisible();
  await page.getByLabel(say('auth.field.password'), { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/channelsList$/u);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('channels.title'));
  expect(await page.evaluate(() => sessionStorage.getItem('TOKEN_KEY'))).not.toBeNull();
}

/** §2: clock, links, name, and a switch with every language. */
export async function lookAround({ page, say }: Traveller, name: string): Promise<void> {
  const nav = page.getByRole('navigation', { name: say('app.nav.label') });
  await expect(page.getByText(/^\d\d:\d\d:\d\d$/u)).toBeVisible();
  for (const link of ['dashboard', 'users', 'channels', 'addUser', 'addChannel'])
    await expect(nav.getByRole('link', { name: say(`app.nav.${link}`), exact: true })).toBeVisible();
  await page.getByRole('button', { name: say('app.account.menu', { name }) }).click();
  await expect(page.getByRole('menu').getByRole('menuitemradio')).toHaveCount(LANGUAGES.length + 3);
  await closeMenu(page);
}

/** §2, §5, §8: a channel is made and renamed, each with the faults that may come. */
export async function makeChannels({ page, say }: Traveller, first: string, name: string): Promise<void> {
  await expect(page.getByRole('heading', { name: say('channels.empty.admin') })).toBeVisible();
  await button(page.getByRole('main'), say('channels.create.act')).first().click();
  const creation = dialogOf(page, say('channels.create.title'));
  const submit = button(creation, say('channels.create.submit'));
  await creation.getByLabel(say('channels.form.name')).fill('   ');
  await submit.click();
  await expect(creation.getByText(say('channels.form.nameRequired'))).toBeVisible();
  await creation.getByLabel(say('channels.form.name')).fill(first);
  await submit.click();
  await expect(creation).toHaveCount(0);
  await expect(page.getByText(say('channels.create.done'))).toBeVisible();
  const edit = await openChannelDialog(page, say, first, 'edit');
  await edit.getByLabel(say('channels.form.name')).fill(name);
  await button(edit, say('channels.edit.submit')).click();
  await expect(page.getByText(say('channels.edit.done'))).toBeVisible();
  await expect(channelRow(page, name)).toContainText('0/1');
  await expect(channelRow(page, name)).toContainText(MOMENT);
}

/** §5: channels come from a file; one of them exists already, and one has no name. §9: five rows a page. */
export async function importChannels({ page, say }: Traveller, known: string, count: number): Promise<void> {
  await page.getByRole('link', { name: say('exports.buttons.import') }).click();
  const names = Array.from({ length: count }, (_, n) => `Relais ${n + 1}`);
  const buffer = Buffer.from(['name;note', ...[known, ...names, ''].map((name) => `${name};x`)].join('\n'));
  await page.locator('input[type=file]').setInputFiles({ name: 'channels.csv', mimeType: 'text/csv', buffer });
  const send = button(page, say('transfer.review.send_other', { count }));
  const goOn = button(page, say('transfer.columns.continue'));
  await expect(send.or(goOn)).toBeVisible();
  if (await goOn.isVisible()) await goOn.click();
  await send.click();
  await button(dialogOf(page, say('transfer.sure.title')), say('transfer.sure.confirm')).click();
  await expect(page.getByRole('heading', { name: say('transfer.done.title') })).toBeVisible();
  const group = (which: string) => page.getByRole('region', { name: say(`transfer.done.${which}`), exact: true });
  await expect(group('created')).toContainText('Relais 1');
  await expect(group('existing')).toContainText(known);
  await expect(group('rejected')).toContainText(say('transfer.done.row', { row: count + 3 }));
  await page.getByRole('link', { name: say('transfer.done.toList.channels') }).click();
  await expect(page.locator('tbody tr')).toHaveCount(5);
  await expect(page.getByText(say('shared.pager.rows', { from: 1, to: 5, total: count + 1 }))).toBeVisible();
  await page.getByLabel(say('shared.pager.size')).selectOption('25');
  await expect(page.locator('tbody tr')).toHaveCount(count + 1);
}

/** §2, §5, §6, §8: a user is added, then edited past one's own password, and deleted. */
export async function keepUsers({ page, say }: Traveller, own: Registration, added: Registration): Promise<void> {
  const field = (place: Locator, name: string) => place.getByLabel(say(`userForm.field.${name}`), { exact: true });
  const nav = page.getByRole('navigation', { name: say('app.nav.label') });
  await nav.getByRole('link', { name: say('app.nav.users'), exact: true }).click();
  await button(page.getByRole('main'), say('users.add')).click();
  const form = dialogOf(page, say('userForm.add.title'));
  const submit = button(form, say('userForm.add.submit'));
  await submit.click();
  await expect(form.getByRole('alert')).toContainText(say('userForm.add.failed'));
  await expect(form.getByRole('alert')).toContainText(say('userForm.fault.empty'));
  const values = { ...added, login: added.email, pseudo: 'ZOE', repetition: 'other' };
  for (const name of ['firstName', 'lastName', 'login', 'pseudo', 'password', 'repetition'] as const)
    await field(form, name).fill(values[name]);
  await expect(form.getByText(say('userForm.fault.mismatch'))).toBeVisible();
  await field(form, 'repetition').fill(added.password);
  await form.getByRole('switch', { name: say('userForm.field.mapRight') }).click();
  await submit.click();
  await expect(page.getByText(say('userForm.add.done'), { exact: true })).toBeVisible();
  const name = `${added.firstName} ${added.lastName}`;
  await closeAccountCard(page, say, name);
  const row = page.getByRole('row').filter({ hasText: added.email });
  await expect(row).toContainText('ZOE');
  await expect(row).toContainText(say('users.yes'));
  await expect(row).toContainText(MOMENT);

  await button(row, say('users.act.editName', { name })).click();
  const question = dialogOf(page, say('userForm.verify.title'));
  await question.getByLabel(say('userForm.verify.field'), { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await expect(question.getByText(say('userForm.verify.wrong'))).toBeVisible();
  await question.getByLabel(say('userForm.verify.field'), { exact: true }).fill(own.password);
  await page.keyboard.press('Enter');
  const edit = dialogOf(page, say('userForm.edit.title'));
  await expect(field(edit, 'login')).toHaveAttribute('readonly', '');
  await field(edit, 'newPassword').fill('neuf');
  await button(edit, say('userForm.edit.submit')).click();
  await expect(edit.getByRole('alert')).toContainText(say('userForm.edit.failed'));
  await field(edit, 'repetition').fill('neuf');
  await button(edit, say('userForm.edit.submit')).click();
  await expect(page.getByText(say('userForm.edit.done'))).toBeVisible();
  await closeAccountCard(page, say, name);

  await button(row, say('users.act.deleteName', { name })).click();
  const deletion = dialogOf(page, say('users.delete.title'));
  await expect(deletion).toContainText(say('users.delete.question', { name }));
  await button(deletion, say('users.delete.confirm')).click();
  await expect(page.getByText(say('users.delete.done'))).toBeVisible();
  await expect(row).toHaveCount(0);
}

/** §2: somebody is put into a channel from its dialog, after a question. */
export async function addMember({ page, say }: Traveller, channel: string, name: string): Promise<void> {
  const members = await openChannelDialog(page, say, channel, 'members');
  await toggleMember(page, say, name, 'add');
  await expect(page.getByText(say('channels.member.added'))).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(members).toHaveCount(0);
}

/** §6: the doors that are closed to somebody who is no administrator. */
export async function findDoorsClosed({ page, say }: Traveller): Promise<void> {
  await expect(page.getByText(say('channels.empty.memberText'))).toBeVisible();
  await expect(page.getByRole('button', { name: say('channels.create.act') })).toHaveCount(0);
  await page.goto('/usersList');
  await expect(page.getByText(say('app.notYours.title'))).toBeVisible();
  await page.goBack();
  await expect(page.getByText(say('channels.empty.memberText'))).toBeVisible();
}

/** §2, §4: one types and writes, the other reads it; a message is deleted, after a question; an image must be one. */
export async function exchangeMessages(writer: Traveller, reader: Traveller, name: string): Promise<void> {
  const { page, say } = writer;
  await messageField(page, say).pressSequentially('Bien re');
  await expect(reader.page.getByText(reader.say('chat.typing.one', { name }))).toBeVisible();
  await messageField(page, say).pressSequentially('çu');
  await page.keyboard.press('Enter');
  await expect(messageRow(page, 'Bien reçu')).toBeVisible();
  await expect(messagesPanel(page).locator('[data-message]')).toContainText(say('chat.me'));
  await expect(messagesPanel(reader.page).locator('[data-message]')).toContainText(name);
  await write(page, say, 'Oups');
  await button(messageRow(page, 'Oups'), say('chat.row.delete')).click();
  await button(dialogOf(page, say('chat.delete.title')), say('chat.delete.confirm')).click();
  for (const one of [page, reader.page]) await expect(messageRow(one, 'Oups')).toHaveCount(0);
  const text = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('x') };
  const upload = await chooseImage(page, say, text);
  await expect(upload).toContainText(say('chat.upload.fault.type'));
  await expect(upload).toContainText(say('chat.upload.valid'));
  await page.keyboard.press('Escape');
  await expect(upload).toHaveCount(0);
}

/** §2, §8: the map folds away and comes back; a member without a position is told of. */
export async function lookAtTheMap({ page, say }: Traveller, member: string): Promise<void> {
  const map = page.getByRole('region', { name: say('voice.panels.map'), exact: true });
  const toggle = button(page, say('voice.panels.map'));
  await expect(map).toBeVisible();
  await toggle.click();
  await expect(map).toHaveCount(0);
  await toggle.click();
  await expect(map).toBeVisible();
  await page.getByRole('tab', { name: say('voice.panels.members') }).click();
  const panel = page.getByRole('tabpanel', { name: say('voice.panels.members') });
  await panel.getByRole('listitem').getByRole('button').filter({ hasText: member }).click();
  const unknown = dialogOf(page, say('positions.unknown.title'));
  await expect(unknown).toContainText(say('positions.unknown.text', { name: member }));
  await button(unknown, say('positions.unknown.close')).click();
}

/** §2: totals, the five channels with most users, the last activities and the way to all of them. */
export async function readTheDashboard(
  { page, say }: Traveller,
  totals: { users: number; channels: number },
): Promise<void> {
  await page.goto('/dashboard');
  const figures = page.getByRole('region', { name: say('dashboard.figures') });
  await expect(figures).toContainText(`${say('dashboard.users')}${totals.users}`);
  await expect(figures).toContainText(`${say('dashboard.channels')}${totals.channels}`);
  const top = page.getByRole('region', { name: say('dashboard.top.title') });
  await expect(top.getByRole('listitem')).toHaveCount(5);
  await expect(top.getByRole('listitem').first()).toContainText(MOMENT);
  // The tables below are read once they come near the screen.
  await page.getByRole('heading', { name: say('users.title'), exact: true, level: 2 }).scrollIntoViewIfNeeded();
  await expect(page.getByRole('table', { name: say('users.title'), exact: true })).toBeVisible();
  await page.getByRole('link', { name: say('dashboard.last.all'), exact: true }).click();
  await expect(page).toHaveURL(/\/activities/u);
}

/** §2, §3, §9: the log has 21 entries a page with a pager; entries older than a week are deleted after a question. */
export async function readTheLog({ page, say }: Traveller, name: string, channel: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('activities.title'));
  await expect(page.getByRole('article')).toHaveCount(21);
  await expect(page.getByRole('article').first()).toContainText(MOMENT);
  await expect(page.getByRole('article').filter({ hasText: name }).first()).toBeVisible();
  await button(page, say('shared.pager.last')).click();
  await expect(page.getByRole('article').last()).toContainText(say('activities.did.login'));
  await button(page, say('shared.pager.first')).click();
  await expect(page.getByRole('article').filter({ hasText: channel }).first()).toBeVisible();
  await button(page, say('activityLog.delete.act')).click();
  await page.getByRole('menuitem', { name: say('activityLog.delete.menu.1w') }).click();
  const question = page.getByRole('dialog');
  const period = say('activityLog.delete.period.1w');
  await expect(question).toContainText(say('activityLog.delete.question', { period }));
  await button(question, say('activityLog.delete.act')).click();
  await expect(page.getByText(say('activityLog.delete.doneText'))).toBeVisible();
}

/** §8: a channel is deleted after a question that names it. */
export async function deleteChannel({ page, say }: Traveller, name: string): Promise<void> {
  await page.goto('/channelsList?size=25');
  const deletion = await openChannelDialog(page, say, name, 'delete');
  await expect(deletion).toContainText(say('channels.delete.question', { name }));
  await button(deletion, say('channels.delete.confirm')).click();
  await expect(page.getByText(say('channels.delete.done'))).toBeVisible();
  await expect(channelRow(page, name)).toHaveCount(0);
}
