import type { Locator, Page } from '@playwright/test';
import { getUsersInChannel } from '@pressel/contract/channels';
import { createMultipleUsers } from '@pressel/contract/transfer';
import { changeUsers, getAllUsers } from '@pressel/contract/users';
import { expect, test, usersPath, type World } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { pickRow } from '../harness/acts.ts';
import { type Say, sayIn } from '../harness/words.ts';

/** Makes this many users of one family name, numbered. Returns the name, by which the list can be filtered. */
async function family({ api, admin, own }: World, kind: string, count: number): Promise<string> {
  const lastName = own(kind);
  const userData = Array.from({ length: count }, (_, index) => ({
    firstName: `N${String(index + 1).padStart(3, '0')}`,
    lastName,
    identifier: `n${index + 1}.${lastName.toLowerCase().replace(' ', '.')}@example.org`,
    pseudo: `${lastName}${index + 1}`,
    password: 'x',
    mapRight: false,
  }));
  const { createdUsers } = await api.call(createMultipleUsers, { userData }, admin.token);
  expect(createdUsers).toHaveLength(count);
  return lastName;
}

const listOf = async ({ api, admin }: World, filter: string) =>
  (await api.call(getAllUsers, { filter }, admin.token)).res;

const rows = (page: Page): Locator => page.locator('tbody tr');
const rowOf = (page: Page, name: string): Locator => rows(page).filter({ hasText: name });
const filterBox = (page: Page, say: Say): Locator => page.getByRole('searchbox', { name: say('users.filter') });
const bar = (page: Page, say: Say): Locator => page.getByRole('region', { name: say('bulk.bar') });

async function chooseFromBar(page: Page, say: Say, menu: string, item: string): Promise<void> {
  await bar(page, say)
    .getByRole('button', { name: say(menu) })
    .click();
  await page.getByRole('menuitem', { name: say(item) }).click();
}

test('order, filter, page and its size stand in the address and survive a reload', async ({ world, open }) => {
  const say = sayIn('fr');
  const name = await family(world, 'Reload', 12);
  const page = await open(world.admin, usersPath(name));
  await expect(rows(page)).toHaveCount(5);
  await page.getByRole('button', { name: say('users.column.firstName') }).click();
  await page.getByRole('button', { name: say('users.column.firstName') }).click();
  await expect(rows(page).first()).toContainText('N012');
  await page.getByRole('button', { name: say('shared.pager.next') }).click();
  await expect(rows(page).first()).toContainText('N007');
  await expect(page).toHaveURL(/\?q=[^&]+&sort=firstName&desc=true&page=2$/u);
  await page.reload();
  await expect(rows(page).first()).toContainText('N007');
  await expect(filterBox(page, say)).toHaveValue(name);
  await page.getByLabel(say('shared.pager.size')).selectOption('10');
  await expect(rows(page)).toHaveCount(10);
  const email = `${name.toLowerCase().replace(' ', '.')}@`;
  await filterBox(page, say).fill(`5${email}`);
  await expect(page.getByText(say('users.noMatch', { filter: `5${email}` }))).toBeVisible();
  await filterBox(page, say).fill(`n5.${email}`.toUpperCase().replace('RE', 'RÉ'));
  await expect(rows(page)).toHaveCount(1);
  await page.goto(usersPath(name));
  await expect(rows(page), 'the size is remembered').toHaveCount(10);
});

/** Takes away the administrators whom tests before this one left on the server. */
async function leaveOneAdministrator({ api, admin }: World): Promise<void> {
  const { res } = await api.call(getAllUsers, {}, admin.token);
  const userIds = res.filter(({ id, role }) => role === 'admin' && id !== admin.id).map(({ id }) => id);
  if (userIds.length > 0) await api.call(changeUsers, { userIds, change: { type: 'delete' } }, admin.token);
}

test('a user is deleted after a question, seen by another administrator at once; the last one cannot be', async ({
  world,
  open,
}) => {
  const say = sayIn('en');
  const { admin } = world;
  const lastName = await family(world, 'Gone', 3);
  const page = await open(admin, usersPath(lastName), { language: 'en', expectedErrors: /status of 409/u });
  const other = await open(admin, usersPath(lastName), { language: 'en' });
  await expect(rows(other)).toHaveCount(3);
  const name = `N002 ${lastName}`;
  const ask = page.getByRole('button', { name: say('users.act.deleteName', { name }) });
  const dialog = page.getByRole('dialog', { name: say('users.delete.title') });
  await ask.click();
  await expect(dialog).toContainText(say('users.delete.question', { name }));
  await expectAccessible(page, 'the question');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(ask).toBeFocused();

  // The question keeps its place in the page, and the sheet comes after it.
  const sheet = page.getByRole('dialog', { name: say('users.sheet.title') });
  await page.getByRole('button', { name: say('users.sheet.open', { name }) }).click();
  await sheet.getByRole('button', { name: say('users.act.delete'), exact: true }).click();
  await dialog.getByRole('button', { name: say('shared.cancel') }).click();
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);

  await ask.focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: say('users.delete.confirm') }).click();
  await expect(page.getByText(say('users.delete.done'))).toBeVisible();
  await expect(rows(other)).toHaveCount(2);
  await expect(rows(page)).toHaveCount(2);
  await expect(filterBox(page, say), 'the focus is where one looks for the next').toBeFocused();

  await leaveOneAdministrator(world);
  await filterBox(page, say).fill(admin.email);
  await page.getByRole('button', { name: say('users.act.deleteName', { name: admin.name }) }).click();
  await expect(dialog).toContainText(say('users.delete.self'));
  await dialog.getByRole('button', { name: say('users.delete.confirm') }).click();
  await expect(dialog.getByRole('alert')).toContainText(say('users.delete.lastAdmin'));
  await expectAccessible(page, 'the refusal');
  await dialog.getByRole('button', { name: say('shared.cancel') }).click();
  await expect(rowOf(page, admin.email)).toBeVisible();
});

test('who is disconnected from all devices is signed out everywhere, and shown as gone', async ({ world, open }) => {
  const say = sayIn('de');
  const { api, admin } = world;
  const lea = await api.person('Disconnected', admin.token);
  const page = await open(admin, usersPath(lea.email), { language: 'de' });
  const row = rowOf(page, lea.email);
  await expect(row).toContainText(say('users.offline'));
  await expect(row).toContainText(say('activities.short.login'));
  const theirs = await open(lea, '/channelsList', { expectedErrors: /status of 401/u });
  await expect(row).toContainText(say('users.online'));
  const more = page.getByRole('button', { name: say('users.act.moreName', { name: lea.name }) });
  await more.click();
  await expectAccessible(page, 'the menu of a row');
  await page.getByRole('menuitem', { name: say('users.act.disconnect') }).click();
  const dialog = page.getByRole('dialog', { name: say('users.disconnect.title') });
  await expectAccessible(page, 'the question');
  await dialog.getByRole('button', { name: say('users.disconnect.confirm') }).click();
  await expect(page.getByText(say('users.disconnect.done'))).toBeVisible();
  await expect(theirs).toHaveURL(/\/signin/u);
  await expect(row).toContainText(say('users.offline'));
  await expect(more).toBeFocused();
});

test('many are selected over pages, put into a channel, given the map, and deleted', async ({ world, open }) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const lastName = await family(world, 'Many', 30);
  const { id, name: channel } = await api.channel(admin, 'Groupe');
  // A second channel, so that the first has to be looked for, and found ones differ from all.
  await api.channel(admin, 'Autre');
  const page = await open(admin, usersPath(lastName));
  const other = await open(admin, `${usersPath(lastName)}&size=50`);
  await expect(rows(other)).toHaveCount(30);
  const box = (name: string) => page.getByRole('checkbox', { name: say('users.select.one', { name }) });
  await box(`N002 ${lastName}`).check();
  await page.getByRole('button', { name: say('shared.pager.next') }).click();
  await box(`N006 ${lastName}`).check();
  await page.getByRole('button', { name: say('shared.pager.previous') }).click();
  await expect(box(`N002 ${lastName}`)).toBeChecked();
  await expect(bar(page, say)).toContainText(say('bulk.count_other', { count: 2 }));
  await page.getByRole('button', { name: say('bulk.allFound_other', { count: 30 }) }).click();
  await expect(bar(page, say)).toContainText(say('bulk.count_other', { count: 30 }));
  await expectAccessible(page, 'the list and the bar');

  const dialog = page.getByRole('dialog');
  await chooseFromBar(page, say, 'users.bulk.channels', 'users.bulk.menu.addToChannels');
  await pickRow(dialog, say, channel);
  await expectAccessible(page, 'the channels');
  await dialog.getByRole('button', { name: say('users.bulk.confirm.addToChannels') }).click();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 30 }));
  await expectAccessible(page, 'the report');
  await dialog.getByRole('button', { name: say('shared.close') }).click();
  expect((await api.call(getUsersInChannel, { channelId: id }, admin.token)).res).toHaveLength(30);

  await chooseFromBar(page, say, 'users.bulk.channels', 'users.bulk.menu.removeFromChannels');
  await pickRow(dialog, say, channel);
  await dialog.getByRole('button', { name: say('users.bulk.confirm.removeFromChannels') }).click();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 30 }));
  await dialog.getByRole('button', { name: say('shared.close') }).click();
  expect((await api.call(getUsersInChannel, { channelId: id }, admin.token)).res).toHaveLength(0);

  await chooseFromBar(page, say, 'users.bulk.map', 'users.bulk.menu.grantMap');
  await dialog.getByRole('button', { name: say('users.bulk.confirm.grantMap') }).click();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 30 }));
  await expect(rows(other).filter({ hasText: say('users.yes') })).toHaveCount(30);
  await dialog.getByRole('button', { name: say('shared.close') }).click();

  // Somebody else deletes one of them meanwhile, and the selection includes oneself.
  await filterBox(page, say).fill(admin.email);
  await box(admin.name).check();
  await bar(page, say)
    .getByRole('button', { name: say('users.act.delete') })
    .click();
  await expect(dialog).toContainText(say('users.bulk.self'));
  await expectAccessible(page, 'the question');
  const [gone] = await listOf(world, `n3.${lastName.toLowerCase().replace(' ', '.')}@`);
  await other.getByRole('button', { name: say('users.act.deleteName', { name: `N003 ${lastName}` }) }).click();
  await other.getByRole('button', { name: say('users.delete.confirm') }).click();
  await expect(rows(other)).toHaveCount(29);
  expect(gone).toBeDefined();
  await dialog.getByRole('button', { name: say('users.bulk.confirm.delete_other', { count: 30 }) }).click();
  await expect(dialog).toContainText(say('users.bulk.deleted_other', { count: 29 }));
  await expect(dialog.getByRole('listitem')).toHaveText(`N003 ${lastName}${say('users.bulk.reason.not_found')}`);
  await expect(other.getByText(say('users.noMatch', { filter: lastName }))).toBeVisible();
  await expectAccessible(page, 'the report of a deletion');
  await dialog.getByRole('button', { name: say('shared.close') }).click();
  await expect(bar(page, say), 'who was left out is still selected').toContainText(say('bulk.count_one', { count: 1 }));
  expect(await listOf(world, lastName)).toEqual([]);
});

test('a change to many can be stopped between its parts, and goes on after a lost link', async ({ world, open }) => {
  const say = sayIn('en');
  const lastName = await family(world, 'Parts', 230);
  const page = await open(world.admin, usersPath(lastName), {
    language: 'en',
    expectedErrors: /net::ERR_FAILED/u,
  });
  const parts: { go: () => Promise<void>; fail: () => Promise<void> }[] = [];
  await page.route('**/user/api/changeUsers', (route) => {
    parts.push({ go: () => route.continue(), fail: () => route.abort() });
  });
  const done = async () => (await listOf(world, lastName)).filter(({ mapRight }) => mapRight).length;
  const part = async (index: number) => {
    await expect.poll(() => parts.length).toBeGreaterThan(index);
    const found = parts[index];
    if (found === undefined) throw new Error('No such part');
    return found;
  };
  await page.getByRole('checkbox', { name: say('users.select.all') }).check();
  await page.getByRole('button', { name: say('bulk.allFound_other', { count: 230 }) }).click();
  await chooseFromBar(page, say, 'users.bulk.map', 'users.bulk.menu.grantMap');
  const dialog = page.getByRole('dialog', { name: say('users.bulk.ask.grantMap_other', { count: 230 }) });
  await dialog.getByRole('button', { name: say('users.bulk.confirm.grantMap') }).click();
  await (await part(0)).go();
  await expect(dialog).toContainText(say('bulk.progress', { done: 100, total: 230 }));
  await part(1);
  await expect(dialog.getByRole('button', { name: say('bulk.stop') })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectAccessible(page, 'the progress');
  await (await part(1)).go();
  await expect(dialog).toContainText(say('bulk.stopped'));
  await expect(dialog).toContainText(say('bulk.rest_other', { count: 30 }));
  expect(await done()).toBe(200);

  await dialog.getByRole('button', { name: say('bulk.goOn') }).click();
  await (await part(2)).fail();
  await expect(dialog).toContainText(say('bulk.failed'));
  await expect(dialog).toContainText(say('bulk.unsure_other', { count: 30 }));
  await expectAccessible(page, 'the failure');
  await dialog.getByRole('button', { name: say('bulk.goOn') }).click();
  await (await part(3)).go();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 230 }));
  expect(await done()).toBe(230);
});

test('the list with its bar fits every width, whatever the names', async ({ world, open }) => {
  const say = sayIn('de');
  const { api, admin, own } = world;
  const long = `Anne${'Marguerite'.repeat(9)}`;
  const mark = own('fit').replace(' ', '.');
  const userData = [long, 'فاطمة الزهراء', '👩🏽‍🚒 Zoë'].map((firstName, index) => ({
    ...{ firstName, lastName: long, identifier: `${mark}.${index}@example.org`, pseudo: long },
    ...{ password: 'x', mapRight: true, canal: '' },
  }));
  await api.call(createMultipleUsers, { userData }, admin.token);
  const page = await open(admin, usersPath(mark), { language: 'de', colorScheme: 'dark' });
  for (const [width, height] of [
    [1600, 900],
    [1280, 800],
    [390, 844],
    [360, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(rows(page)).toHaveCount(3);
    const tableAt = async () => (await page.getByRole('table').boundingBox())?.y;
    // The head of the page is laid out anew for each width.
    let before: number | undefined;
    await expect
      .poll(async () => {
        const last = before;
        before = await tableAt();
        return before !== undefined && before === last;
      })
      .toBe(true);
    await page.getByRole('checkbox', { name: say('users.select.all') }).check();
    await expect(bar(page, say)).toBeInViewport({ ratio: 1 });
    await expect.poll(tableAt, { message: 'the table stays where it is' }).toBe(before);
    const spill = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(spill, `at ${width} px`).toBeLessThanOrEqual(0);
    if (width === 390) await expectAccessible(page, 'the list and its bar, narrow and dark');
    await page.getByRole('checkbox', { name: say('users.select.all') }).uncheck();
    await expect(bar(page, say)).toHaveCount(0);
  }
});
