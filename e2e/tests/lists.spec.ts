import type { Locator, Page } from '@playwright/test';
import { createMultipleUsers } from '@pressel/contract/transfer';
import { expect, test, usersPath, type World } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { sayIn } from '../harness/words.ts';

const say = sayIn('fr');

/** Users of one family name of this test's own, first names as given. */
async function family({ api, admin, own }: World, kind: string, firstNames: readonly string[]): Promise<string> {
  const lastName = own(kind);
  const userData = firstNames.map((firstName) => ({
    firstName,
    lastName,
    identifier: `${firstName}.${lastName.replace(' ', '.')}@example.org`.toLowerCase(),
    pseudo: firstName,
    password: 'x',
    mapRight: true,
  }));
  await api.call(createMultipleUsers, { userData }, admin.token);
  return lastName;
}

const rows = (page: Page): Locator => page.locator('tbody tr');
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `N${String(n).padStart(3, '0')}`);

test('[LIST1] a user who is created elsewhere does not come under the pointer', async ({ world, open }) => {
  const name = await family(world, 'Steady', ['Hugo', 'Lea']);
  const page = await open(world.admin, usersPath(name));
  const bin = page.getByRole('button', { name: say('users.act.deleteName', { name: `Hugo ${name}` }) });
  await bin.hover();
  const at = await bin.boundingBox();
  await family(world, 'Steady', ['Ana']);
  await expect(page.getByRole('button', { name: say('shared.list.waiting_one', { count: 1 }) })).toBeVisible();
  expect(await bin.boundingBox()).toEqual(at);
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.getByRole('dialog')).toContainText(`Hugo ${name}`);
});

test('[LIST7] filter and header stay in sight on a desk', async ({ world, open }) => {
  const name = await family(world, 'Long', numbered(40));
  const context = { viewport: { width: 1280, height: 800 } };
  const page = await open(world.admin, `${usersPath(name)}&size=50`, { context });
  await expect(rows(page)).toHaveCount(40);
  await rows(page).last().scrollIntoViewIfNeeded();
  await expect(page.getByRole('searchbox')).toBeInViewport();
  await expect(page.getByRole('columnheader', { name: say('users.column.login') })).toBeInViewport();
  const header = await page.locator('thead th').nth(2).boundingBox();
  const filter = await page.getByRole('searchbox').boundingBox();
  // The header is directly below the filter, with nothing between them that shows rows.
  expect(header?.y).toBeGreaterThanOrEqual((filter?.y ?? 0) + (filter?.height ?? 0));
});

test('[LIST4] back undoes a page, then the order', async ({ world, open }) => {
  const name = await family(world, 'Back', numbered(12));
  const page = await open(world.admin, usersPath(name));
  await page.getByRole('button', { name: say('users.column.firstName'), exact: true }).click();
  await page.getByRole('button', { name: say('shared.pager.next') }).click();
  await expect(rows(page).first()).toContainText('N005');
  await page.goBack();
  await expect(rows(page).first()).toContainText('N000');
  await expect(page).toHaveURL(/sort=firstName$/u);
  await page.goBack();
  await expect(page).not.toHaveURL(/sort=/u);
});

test('[LIST6] offline the rows stay and say that they may be old', async ({ world, open }) => {
  const name = await family(world, 'Offline', numbered(7));
  const page = await open(world.admin, usersPath(name), { expectedErrors: /ERR_INTERNET_DISCONNECTED/u });
  await expect(rows(page)).toHaveCount(5);
  await page.context().setOffline(true);
  await expect(page.getByText(say('shared.list.old'))).toBeVisible({ timeout: 40_000 });
  await expect(rows(page)).toHaveCount(5);
  await expect(page.getByRole('button', { name: say('shared.pager.next') })).toBeDisabled();
  await expectAccessible(page, 'a list without the link');
});

test('[LIST10] the palette is loaded when it is opened, and leads to a user', async ({ world, open }) => {
  const name = await family(world, 'Palette', ['Zoe']);
  const page = await open(world.admin, '/usersList');
  await expect(rows(page).first()).toBeVisible();
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name));
  expect(loaded.filter((url) => url.includes('palette'))).toEqual([]);
  await page.keyboard.press('Control+k');
  await page.keyboard.type(name);
  await expect(page.getByRole('option', { name: new RegExp(`^Zoe ${name}`, 'u') })).toBeVisible();
  expect(scripts.some((url) => url.includes('palette'))).toBe(true);
  await expectAccessible(page, 'the palette');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: say('users.sheet.title') })).toContainText(name);
});

test('[LIST11] on a phone rows have what they had, in reach of fingers, and nothing is wider than the screen', async ({
  world,
  open,
}) => {
  const name = await family(world, 'Phone', ['Ana', 'Zoe']);
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const page = await open(world.admin, usersPath(name), { context });
  const row = rows(page).first();
  for (const text of [`ana.${name.toLowerCase().replace(' ', '.')}`, say('users.mapShortYes'), say('activities.none')])
    await expect(row.getByText(text)).toBeVisible();
  await expect(row.getByTitle(say('users.offline'))).toBeVisible();
  const controls = page.locator('main :is(td, nav) button:visible:not([aria-label^="Fiche"])');
  for (const control of await controls.all()) {
    const box = await control.boundingBox();
    expect(
      Math.min(box?.width ?? 0, box?.height ?? 0),
      (await control.getAttribute('aria-label')) ?? '',
    ).toBeGreaterThanOrEqual(44);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: say('users.act.moreName', { name: `Ana ${name}` }) }).tap();
  for (const item of await page.getByRole('menuitem').all())
    expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await expectAccessible(page, 'the list on a phone, with the menu of a row');
});
