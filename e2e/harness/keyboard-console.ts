import { expect, type Page } from '@playwright/test';
import type { Registration } from './acts.ts';
import type { Keyboard } from './keyboard.ts';
import { expectSpoken, takeSpoken } from './spoken.ts';
import type { Say } from './words.ts';

/** An administrator's acts in the console, by the keyboard alone. */

export interface Typist {
  keys: Keyboard;
  page: Page;
  say: Say;
}

/** Expects that a wrong field says so itself, and why. With `isSaid` it also says so to somebody who is in it already. */
export async function expectWrong({ keys, page }: Typist, name: string, why: string, isSaid = false): Promise<void> {
  await keys.expectAt('textbox', name, 'the first field that is wrong');
  await expect.poll(async () => (await keys.stop()).states.invalid, `${name} is told to be wrong`).toBe('true');
  expect((await keys.stop()).description, name).toContain(why.replace(/\s+/gu, ' '));
  if (isSaid) await expectSpoken(page, why);
}

/** Waits until a dialog stands and has the focus in it. */
export async function expectDialog({ page }: Typist, title: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await expect(dialog).toBeVisible();
  await expect.poll(() => dialog.evaluate((place) => place.contains(document.activeElement))).toBe(true);
}

export const expectNoDialog = ({ page }: Typist): Promise<void> => expect(page.getByRole('dialog')).toHaveCount(0);

export async function signUpByKeys(typist: Typist, who: Registration): Promise<void> {
  const { keys, page, say } = typist;
  await expect(page).toHaveURL(/\/signup$/u);
  await keys.expectAt('textbox', say('auth.field.firstName'), 'a form begins with its first field');
  await keys.press('Enter');
  await expectWrong(typist, say('auth.field.firstName'), say('forms.fault.required'), true);
  await keys.write('textbox', say('auth.field.firstName'), who.firstName);
  await keys.write('textbox', say('auth.field.lastName'), who.lastName);
  await keys.write('textbox', say('auth.field.login'), who.email);
  await keys.write('textbox', say('auth.field.password'), who.password);
  await keys.press('Enter');
  await expect(page).toHaveURL(/\/dashboard$/u);
  await expectFocused(typist, 'a page after a form');
}

export const openAccountByKeys = ({ keys, say }: Typist, { firstName, lastName }: Registration): Promise<void> =>
  keys.enter('button', say('app.account.menu', { name: `${firstName} ${lastName}` }), 'Shift+Tab');

export async function logOutByKeys(typist: Typist, who: Registration): Promise<void> {
  const { keys, page, say } = typist;
  await openAccountByKeys(typist, who);
  await keys.pick(say('app.account.logout'), 'ArrowUp');
  await expectDialog(typist, say('app.logout.title'));
  await keys.enter('button', say('app.logout.confirm'));
  await expect(page).toHaveURL(/\/signin$/u);
  await keys.expectAt('textbox', say('auth.field.login'), 'the door');
}

export async function signInByKeys(typist: Typist, { email, password }: Registration): Promise<void> {
  const { keys, page, say } = typist;
  await keys.write('textbox', say('auth.field.login'), email);
  await keys.write('textbox', say('auth.field.password'), 'wrong');
  await keys.press('Enter');
  await expectSpoken(page, say('shared.errors.bad_credentials'));
  await keys.write('textbox', say('auth.field.password'), password);
  await keys.to('checkbox', say('auth.signIn.remember'));
  await keys.press('Space');
  await keys.enter('button', say('auth.signIn.submit'));
  await expect(page).toHaveURL(/\/channelsList$/u);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('channels.title'));
}

/** The first stop of a page leads past the parts that all pages have. */
export async function skipByKeys({ keys, page, say }: Typist): Promise<void> {
  await keys.enter('link', say('app.skip'));
  await expect(page).toHaveURL(/#content$/u);
  await keys.press('Tab');
  const isInside = () => page.evaluate(() => document.activeElement?.closest('main') !== null);
  expect(await isInside(), 'past the bar').toBe(true);
}

/** §2: a channel is made, renamed, gets a member and loses one, gets a guest link, and is deleted. */
export async function keepChannelsByKeys(typist: Typist, member: string): Promise<void> {
  const { keys, page, say } = typist;
  const create = say('channels.create.act');
  await keys.enter('button', create);
  await expectDialog(typist, say('channels.create.title'));
  await keys.press('Enter');
  await expectWrong(typist, say('channels.form.name'), say('channels.form.nameRequired'), true);
  await keys.write('textbox', say('channels.form.name'), 'Nuit');
  await keys.press('Escape');
  await expectDialog(typist, say('shared.unsaved.title'));
  await keys.press('Escape');
  await keys.expectAt('textbox', say('channels.form.name'), 'after all one stays');
  await keys.to('checkbox', say('shared.picker.one', { name: member }));
  await keys.press('Space');
  await expectSpoken(page, say('shared.picked_other', { count: 2 }));
  await keys.enter('button', say('channels.create.submit'));
  await expectSpoken(page, say('channels.create.done'));
  await expectNoDialog(typist);
  await keys.expectAt('button', create, 'after a dialog');

  const edit = say('channels.edit.of', { name: 'Nuit' });
  await keys.enter('button', edit);
  await expectDialog(typist, say('channels.edit.title'));
  await keys.write('textbox', say('channels.form.name'), 'Jour');
  await keys.press('Enter');
  await expectSpoken(page, say('channels.edit.done'));
  await expectNoDialog(typist);
  await keys.expectAt('button', say('channels.edit.of', { name: 'Jour' }), 'after a dialog');

  const members = say('channels.membersOf', { name: 'Jour' });
  await keys.enter('button', members);
  await expectDialog(typist, members);
  for (const [act, next] of [
    ['remove', 'add'],
    ['add', 'remove'],
  ] as const) {
    await keys.enter('button', say(`channels.member.${act}Name`, { name: member }));
    const isAdding = act === 'add';
    await keys.expectAt('button', say(isAdding ? 'channels.member.yesAdd' : 'channels.member.yesRemove'), 'a question');
    await keys.press('Enter');
    await expectSpoken(page, say(isAdding ? 'channels.member.added' : 'channels.member.removed'));
    await keys.expectAt('button', say(`channels.member.${next}Name`, { name: member }), 'after a question');
  }
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', members, 'after a dialog');

  const guests = say('channels.guestsOf', { name: 'Jour' });
  await keys.enter('button', guests);
  await expectDialog(typist, say('guests.dialog.title'));
  await keys.write('textbox', say('guests.make.name'), 'Renfort');
  await keys.press('Enter');
  await expect(page.getByLabel(say('guests.made.address'))).toBeVisible();
  const isInDialog = () => page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null);
  expect(await isInDialog(), 'the focus stays where the link is').toBe(true);
  await keys.enter('button', say('guests.made.done'));
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', guests, 'after a dialog');

  await keys.enter('button', say('channels.delete.of', { name: 'Jour' }));
  await expectDialog(typist, say('channels.delete.title'));
  await keys.enter('button', say('channels.delete.confirm'));
  await expectSpoken(page, say('channels.delete.done'));
  await expectNoDialog(typist);
  await expectFocused(typist, 'after a row was deleted');
}

/** Expects that the focus is never on the page itself: from there one would begin anew. */
export async function expectFocused({ keys }: Typist, when: string): Promise<void> {
  const isBody = async () => (await keys.stop()).isBody;
  await expect.poll(isBody, { message: `${when}: something has the focus` }).toBe(false);
  // The focus may be lost a moment later, together with the element that had it.
  await expect.poll(isBody, { message: `${when}: something keeps the focus` }).toBe(false);
}

/** §2: sort, filter, page, page size, and acts on several rows. Rows are named `${mark} 01`, … */
export async function readChannelsByKeys(typist: Typist, mark: string, total: number): Promise<void> {
  const { keys, page, say } = typist;
  const rows = page.locator('tbody tr');
  await keys.to('combobox', say('shared.pager.size'));
  await keys.press('Home');
  await expect(rows).toHaveCount(5);
  await keys.enter('button', say('shared.pager.next'));
  await expect(page.getByText(say('shared.pager.rows', { from: 6, to: 10, total }))).toBeVisible();
  await keys.expectAt('button', say('shared.pager.next'), 'another page');
  await keys.enter('button', say('shared.pager.last'));
  await expect(page).toHaveURL(/page=/u);
  await expectFocused(typist, 'on the last page');
  await keys.enter('button', say('shared.pager.first'), 'Shift+Tab');
  await expect(page).not.toHaveURL(/page=/u);
  await expectFocused(typist, 'on the first page');

  await keys.to('button', say('channels.column.name'), 'Shift+Tab');
  const header = page.getByRole('columnheader', { name: say('channels.column.name') });
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  await keys.press('Enter');
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  await keys.press('Enter');
  await takeSpoken(page);
  await keys.press('/');
  await keys.expectAt('searchbox', say('channels.filter'), 'its key');
  await keys.type(`${mark} 0`);
  await expectSpoken(page, say('shared.list.found_other', { count: 9 }));
  await keys.type('9');
  await expectSpoken(page, say('shared.list.found_one', { count: 1 }));
  await keys.type('zz');
  await expectSpoken(page, say('shared.list.nothing'));
  await keys.enter('button', say('channels.empty.clear'));
  await expect(rows).toHaveCount(5);
  await keys.expectAt('searchbox', say('channels.filter'), 'the filter is gone with its button');
  await keys.type(`${mark} 0`);
  await expect(page.getByText(say('shared.pager.rows', { from: 1, to: 5, total: 9 }))).toBeVisible();
  await keys.press('ArrowDown');
  await keys.expectAt('link', say('channels.enter', { name: `${mark} 01` }), 'from the filter into the list');
  await keys.press('ArrowDown');
  await keys.expectAt('link', say('channels.enter', { name: `${mark} 02` }), 'from row to row');
  await takeSpoken(page);
  await keys.to('checkbox', say('channels.select.one', { name: `${mark} 02` }), 'Shift+Tab');
  await keys.press('Space');
  await expectSpoken(page, say('bulk.count_one', { count: 1 }));
  await keys.press('ArrowDown');
  await keys.press('Space');
  await expectSpoken(page, say('bulk.count_other', { count: 2 }));
  await keys.enter('button', say('channels.bulk.delete'));
  await expectDialog(typist, say('channels.bulk.ask_other', { count: 2 }));
  await keys.enter('button', say('channels.bulk.confirm_other', { count: 2 }));
  await expectSpoken(page, say('channels.bulk.deleted_other', { count: 2 }));
  await keys.enter('button', say('shared.close'));
  await expectNoDialog(typist);
  await expectFocused(typist, 'after several were deleted');
}
