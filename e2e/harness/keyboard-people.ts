import { expect } from '@playwright/test';
import type { Registration } from './acts.ts';
import {
  expectDialog,
  expectFocused,
  expectNoDialog,
  expectWrong,
  logOutByKeys,
  openAccountByKeys,
  type Typist,
} from './keyboard-console.ts';
import { expectSpoken, takeSpoken } from './spoken.ts';

/** An administrator's acts on accounts and in the log, by the keyboard alone. */

/** §2: a user is added, seen, edited past one's own password, disconnected and deleted. */
export async function keepUsersByKeys(typist: Typist, own: Registration, added: Registration): Promise<void> {
  const { keys, page, say } = typist;
  const field = (name: string) => say(`userForm.field.${name}`);
  const name = `${added.firstName} ${added.lastName}`;
  const add = say('users.add');
  await keys.enter('button', add);
  await expectDialog(typist, say('userForm.add.title'));
  await keys.press('Enter');
  await expectSpoken(page, say('userForm.add.failed'));
  await expectWrong(typist, field('firstName'), say('forms.fault.required'));
  await keys.write('textbox', field('firstName'), added.firstName);
  await keys.write('textbox', field('lastName'), added.lastName);
  await keys.write('textbox', field('login'), added.email);
  await keys.write('textbox', field('password'), added.password);
  await keys.enter('button', say('forms.show', { field: field('password') }));
  await expect(page.getByLabel(field('password'), { exact: true })).toHaveAttribute('type', 'text');
  await keys.write('textbox', field('repetition'), added.password);
  await keys.to('switch', field('mapRight'));
  await keys.press('Space');
  await keys.enter('button', say('userForm.add.submit'));
  await expectSpoken(page, say('userForm.add.done'));
  await expect(page.getByRole('region', { name: say('userForm.card.for', { name }) })).toBeVisible();
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', add, 'after a dialog');

  const sheet = say('users.sheet.open', { name });
  await keys.enter('button', sheet);
  await expectDialog(typist, say('users.sheet.title'));
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', sheet, 'after the sheet');

  const edit = say('users.act.editName', { name });
  await keys.enter('button', edit);
  await expectDialog(typist, say('userForm.verify.title'));
  await keys.type('wrong');
  await keys.press('Enter');
  await expectWrong(typist, say('userForm.verify.field'), say('userForm.verify.wrong'), true);
  await keys.write('textbox', say('userForm.verify.field'), own.password);
  await keys.press('Enter');
  await expectDialog(typist, say('userForm.edit.title'));
  await keys.write('textbox', field('pseudo'), 'ZZ');
  await keys.press('Enter');
  await expectSpoken(page, say('userForm.edit.done'));
  await expectNoDialog(typist);
  await keys.expectAt('button', edit, 'after a dialog');

  const more = say('users.act.moreName', { name });
  await keys.enter('button', more);
  await keys.pick(say('users.act.disconnect'));
  await expectDialog(typist, say('users.disconnect.title'));
  await keys.enter('button', say('users.disconnect.confirm'));
  await expectSpoken(page, say('users.disconnect.done'));
  await expectNoDialog(typist);
  await keys.expectAt('button', more, 'after a question');

  await keys.enter('button', say('users.act.deleteName', { name }));
  await expectDialog(typist, say('users.delete.title'));
  await keys.enter('button', say('users.delete.confirm'));
  await expectSpoken(page, say('users.delete.done'));
  await expectNoDialog(typist);
  await expectFocused(typist, 'after a row was deleted');
}

/** Acts on several accounts at once. */
export async function changeSeveralByKeys(typist: Typist, names: readonly [string, string]): Promise<void> {
  const { keys, page, say } = typist;
  for (const name of names) {
    await keys.to('checkbox', say('users.select.one', { name }));
    await keys.press('Space');
  }
  await expectSpoken(page, say('bulk.count_other', { count: names.length }));
  await keys.enter('button', say('users.bulk.map'));
  await keys.pick(say('users.bulk.menu.grantMap'));
  await expectDialog(typist, say('users.bulk.ask.grantMap_other', { count: names.length }));
  await keys.expectAt('button', say('shared.cancel'), 'a question begins at what changes nothing');
  await keys.enter('button', say('users.bulk.confirm.grantMap'));
  await expectSpoken(page, say('users.bulk.changed_other', { count: names.length }));
  await keys.expectAt('button', say('shared.close'), 'the report');
  await keys.press('Enter');
  await expectNoDialog(typist);
  await expectFocused(typist, 'after several were changed');
}

/** §2, §5: a file has rows with a fault, an account that exists, and good rows. It is corrected in place, and sent. */
export async function importUsersByKeys(typist: Typist, known: string): Promise<void> {
  const { keys, page, say } = typist;
  const head = 'firstName;lastName;identifier;pseudo;password;mapRight;canal';
  const rows = [
    `Ada;Petit;ada@example.org;ADA;secret;vrai;`,
    `Bob;Roux;bob;BOB;secret;faux;`,
    `Lea;M;${known};L;x;vrai;`,
  ];
  const buffer = Buffer.from([head, ...rows].join('\n'));
  await keys.enter('link', say('exports.buttons.import'));
  await expect(page).toHaveURL(/\/usersList\/import$/u);
  await expectSpoken(page, say('transfer.title.users'));
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    keys.enter('button', say('transfer.choose.browse')),
  ]);
  await chooser.setFiles({ name: 'users.csv', mimeType: 'text/csv', buffer });
  await expect(page.getByRole('grid')).toBeVisible();
  await keys.enter('button', say('transfer.review.next'));
  await keys.press('Enter');
  const cell = say('transfer.review.cell', { field: say('transfer.field.identifier'), row: '3' });
  await keys.expectAt('textbox', cell, 'the cell that is wrong');
  await keys.press('ControlOrMeta+A');
  await keys.type('bob@example.org');
  await keys.press('Enter');
  await expectFocused(typist, 'after a correction');
  const send = say('transfer.review.send_other', { count: 2 });
  await keys.enter('button', send);
  await expectDialog(typist, say('transfer.sure.title'));
  await takeSpoken(page);
  await keys.enter('button', say('transfer.sure.confirm'));
  await expectSpoken(page, say('transfer.done.title'));
  await expect(page.getByRole('region', { name: say('transfer.done.created'), exact: true })).toContainText(
    'bob@example.org',
  );
  await expect(page.getByRole('region', { name: say('transfer.done.existing'), exact: true })).toContainText(known);
  await expectFocused(typist, 'at the result');
  await keys.enter('link', say('transfer.done.toList.users'));
  await expect(page).toHaveURL(/\/usersList/u);
  await expectFocused(typist, 'another page');
}

/** §2: the list as a file, and the model of one. */
export async function exportByKeys({ keys, page, say }: Typist): Promise<void> {
  for (const name of [say('exports.buttons.export'), say('exports.buttons.model')]) {
    const [download] = await Promise.all([page.waitForEvent('download'), keys.enter('button', name)]);
    expect(download.suggestedFilename()).toMatch(/\.xlsx$/u);
    await keys.expectAt('button', name, 'after a download');
  }
}

/** §2: filters, details and pages; old entries are deleted, found ones exported. */
export async function readTheLogByKeys(typist: Typist): Promise<void> {
  const { keys, page, say } = typist;
  const log = (key: string, params = {}) => say(`activityLog.${key}`, params);
  await expect(page.getByRole('article').first()).toBeVisible();
  await keys.to('combobox', log('filter.scope'));
  await keys.press('End');
  await expect(page).toHaveURL(/scope=all/u);
  await expect(page.getByRole('article')).toHaveCount(21);
  await keys.enter('button', log('filter.types'));
  await expectDialog(typist, log('filter.types'));
  await keys.to('checkbox', log('group.accounts'));
  await keys.press('Space');
  await expect(page).toHaveURL(/types=/u);
  await keys.press('Escape');
  await expectNoDialog(typist);
  await expect.poll(async () => (await keys.stop()).states.expanded).toBe('false');
  await keys.enter('button', log('filter.off', { name: log('filter.types') }));
  await expect(page).not.toHaveURL(/types=/u);
  await keys.expectAt('button', log('filter.types'), 'the filter is off');
  await keys.enter('button', log('filter.by'));
  await expectDialog(typist, log('filter.by'));
  await keys.type('Durand');
  await keys.to('button', /^Camille Durand/u);
  await keys.press('Enter');
  await expect(page).toHaveURL(/by=/u);
  await expectNoDialog(typist);
  await keys.expectAt('button', /Camille/u, 'the filter that was set');
  await keys.enter('button', log('filter.period'));
  await expectDialog(typist, log('filter.period'));
  await keys.press('Escape');
  await expectNoDialog(typist);
  await keys.expectAt('button', log('filter.period'), 'after a filter');

  await keys.to('button', new RegExp(`^${log('details')}`, 'u'));
  await keys.press('Enter');
  expect((await keys.stop()).states.expanded).toBe('true');
  await keys.enter('button', say('shared.pager.last'));
  await expect(page).toHaveURL(/page=/u);
  await expectFocused(typist, 'on the last page');

  await keys.enter('button', log('delete.act'), 'Shift+Tab');
  await keys.pick(log('delete.menu.1w'));
  await expectDialog(typist, log('delete.title'));
  await keys.enter('button', log('delete.act'));
  await expectSpoken(page, log('delete.doneText'));
  await expectNoDialog(typist);
  await keys.expectAt('button', log('delete.act'), 'after a question');
  await keys.enter('button', log('export.act'), 'Shift+Tab');
  await Promise.all([page.waitForEvent('download'), keys.pick(log('export.xlsx'))]);
  await expectFocused(typist, 'after an export');
  await keys.enter('button', say('shared.close'));
  await keys.expectAt('button', log('export.act'), 'after an export');
}

/** Everywhere: the palette, the keys, language and scheme, one's own profile, and the way out. */
export async function changeOneselfByKeys(typist: Typist, who: Registration, photo: Buffer): Promise<void> {
  const { keys, page, say } = typist;
  await keys.press('Control+K');
  await expectDialog(typist, say('shell.palette.title'));
  await keys.type('zzzz');
  await expectSpoken(page, say('keyPanels.palette.none'));
  await keys.press('ControlOrMeta+A');
  await keys.type(say('app.account.profile'));
  await keys.press('Enter');
  await expect(page).toHaveURL(/\/profile$/u);
  await expectSpoken(page, say('userForm.profile.title'));
  await expectFocused(typist, 'another page');
  await keys.press('?');
  await expectDialog(typist, say('keyPanels.shortcuts.title'));
  await keys.press('Escape');
  await expectNoDialog(typist);
  await expectFocused(typist, 'after the keys');

  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    keys.enter('button', say('userForm.photo.choose')),
  ]);
  await chooser.setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: photo });
  await expect(
    page.getByRole('img', { name: say('userForm.photo.alt', { name: `${who.firstName} ${who.lastName}` }) }),
  ).toBeVisible();
  await expectFocused(typist, 'a photo was chosen');
  await keys.write('textbox', say('userForm.field.pseudo'), 'CAM');
  await keys.enter('button', say('userForm.profile.submit'));
  await expectSpoken(page, say('userForm.profile.done'));
  await keys.write('textbox', say('userForm.profile.current'), 'wrong');
  await keys.write('textbox', say('userForm.field.newPassword'), 'autre mot');
  await keys.write('textbox', say('userForm.field.repetition'), 'autre mot');
  await keys.press('Enter');
  await expectWrong(typist, say('userForm.profile.current'), say('userForm.verify.wrong'));
  await keys.write('textbox', say('userForm.profile.current'), who.password);
  await keys.press('Enter');
  await expectSpoken(page, say('userForm.profile.passwordDone'));

  const account = () => openAccountByKeys(typist, who);
  await account();
  await keys.pick(say('shared.scheme.dark'));
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await keys.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await account();
  await keys.pick('English');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await keys.pick('Français');
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  await keys.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await logOutByKeys(typist, who);
}
