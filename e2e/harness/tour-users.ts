import { expect, type Locator, type Page } from '@playwright/test';
import { PASSWORD } from './api.ts';
import { beginAt, type TourGuide, turnTo } from './tour.ts';

/** Names of an import's columns that may be shown in any language. */
const SHEET_COLUMNS = ['firstName', 'lastName', 'identifier', 'pseudo', 'password', 'mapRight', 'canal', 'name'];
/** The user whom the tour adds, and whose card it shows. */
const ADDED = { firstName: 'Zoé', lastName: 'Petit', login: 'zoe.petit@example.org' };
const ADDED_NAME = `${ADDED.firstName} ${ADDED.lastName}`;
/** Data on these screens that is no text of ours. */
export const USERS_DATA: readonly string[] = [...SHEET_COLUMNS, ADDED_NAME];

/**
 * The list of users with everything that opens from it, and the pages that the other tour leaves out.
 * @param users the address of the list, narrowed to the test's own users by `?q=`: it shows no rows of other tests.
 */
export async function tourTheUsers(page: Page, guide: TourGuide, users: string, userId: string): Promise<void> {
  const { say, look } = guide;
  await beginAt(page, users);
  await tourTheQuestions(page, guide);
  await tourTheSelection(page, guide);
  await turnTo(page, `${users}&panel=create`);
  const form = page.getByRole('dialog', { name: say('userForm.add.title') });
  await expect(form.getByRole('checkbox').first()).toBeVisible();
  await form.getByRole('button', { name: say('userForm.add.submit'), exact: true }).click();
  await expect(form.getByRole('alert')).toBeVisible();
  await look('add a user', page);
  await tourTheCard(page, form, guide);
  await turnTo(page, `${users}&panel=sheet:${userId}`);
  await expect(page.getByRole('dialog', { name: say('users.sheet.title') })).toBeVisible();
  await look('a user’s sheet', page);
  await turnTo(page, `${users}&panel=${userId}`);
  const question = page.getByRole('dialog', { name: say('userForm.verify.title') });
  await question.getByLabel(say('userForm.verify.field'), { exact: true }).fill(PASSWORD);
  await look('one’s own password', page);
  await question.getByRole('button', { name: say('userForm.verify.submit') }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByRole('dialog').getByRole('checkbox').first()).toBeVisible();
  await look('edit a user', page);
  await turnTo(page, '/profile');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('userForm.profile.title'));
  await expect(page.getByRole('textbox').first()).toBeVisible();
  await look('profile', page);
  await turnTo(page, '/usersList/import');
  await expect(page.getByText(say('transfer.choose.drop'))).toBeVisible();
  await look('import', page);
}

/** The questions before acts on the first user of the list. */
async function tourTheQuestions(page: Page, { say, look }: TourGuide): Promise<void> {
  for (const act of ['disconnect', 'delete'] as const) {
    const row = page.locator('tbody tr').first();
    const item = page.getByRole('menuitem', { name: say(`users.act.${act}`), exact: true });
    // The act is in the menu if there is no room for it beside the menu.
    const last = row.getByRole('button').last();
    if (act === 'disconnect' || (await last.getAttribute('aria-haspopup')) === 'menu') {
      await row.locator('[aria-haspopup=menu]').click();
      await expect(item).toBeVisible();
      if (act === 'disconnect') await look('a user’s menu', page);
      await item.click();
    } else await last.click();
    const question = page.getByRole('dialog', { name: say(`users.${act}.title`) });
    await expect(question).toBeVisible();
    await look(`${act} a user?`, page);
    await close(page, question);
  }
}

/** The questions before acts on all users of the page, and the outcome. */
async function tourTheSelection(page: Page, { say, look }: TourGuide): Promise<void> {
  await page.getByRole('checkbox', { name: say('users.select.all') }).check();
  const bar = page.getByRole('region', { name: say('bulk.bar') });
  await expect(bar).toBeVisible();
  await look('users, selected', page);
  const dialog = page.getByRole('dialog');
  const choose = async (menu: 'channels' | 'map', act: string) => {
    await bar.getByRole('button', { name: say(`users.bulk.${menu}`), exact: true }).click();
    await page.getByRole('menuitem', { name: say(`users.bulk.menu.${act}`) }).click();
    await expect(dialog).toContainText(say(`users.bulk.fate.${act}`));
  };
  for (const act of ['addToChannels', 'removeFromChannels']) {
    await choose('channels', act);
    await dialog.getByRole('checkbox').nth(1).check();
    await look(`users, ${act}`, page);
    await close(page, dialog);
  }
  await bar.getByRole('button', { name: say('users.act.delete'), exact: true }).click();
  await expect(dialog).toContainText(say('users.bulk.fate.delete'));
  await look('delete users?', page);
  await close(page, dialog);
  await choose('map', 'withdrawMap');
  await look('withdraw map access?', page);
  await close(page, dialog);
  await choose('map', 'grantMap');
  await look('grant map access?', page);
  await dialog.getByRole('button', { name: say('users.bulk.confirm.grantMap') }).click();
  await expect(dialog.getByText(say('bulk.finished'))).toBeVisible();
  await look('map access was granted', page);
  await close(page, dialog);
}

/** The card of a new account, with a generated password; nobody is added. */
async function tourTheCard(page: Page, form: Locator, { say, look }: TourGuide): Promise<void> {
  await page.route('**/user/api/signUpUser', (route) =>
    route.fulfill({
      json: { success: true, result: 'ok', user: { id: '01900000-0000-7000-8000-000000000001', role: 'member' } },
    }),
  );
  for (const name of ['firstName', 'lastName', 'login'] as const)
    await form.getByLabel(say(`userForm.field.${name}`), { exact: true }).fill(ADDED[name]);
  await form.getByRole('button', { name: say('userForm.generate') }).click();
  await look('a generated password', page);
  await form.getByRole('button', { name: say('userForm.add.submit'), exact: true }).click();
  const card = page.getByRole('region', { name: say('userForm.card.for', { name: ADDED_NAME }) });
  // The card asks the server for its address.
  await expect(card.getByText(new URL(page.url()).origin)).toBeVisible();
  await look('the card of a new account', page);
  await page.unroute('**/user/api/signUpUser');
}

async function close(page: Page, dialog: Locator): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
}
