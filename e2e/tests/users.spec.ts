import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions, Locator, Page } from '@playwright/test';
import { getUsersInChannel } from '@pressel/contract/channels';
import { createMultipleUsers } from '@pressel/contract/transfer';
import { getAllUsers } from '@pressel/contract/users';
import { expect, test, type World } from '../fixtures.ts';
import { pickRow } from '../harness/acts.ts';
import { type Language, type Say, sayIn } from '../harness/words.ts';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Still experimental: it takes the initials of the avatar, which no reader hears, for a label. */
const LEFT_OUT = ['label-content-name-mismatch'];
/** How soon a change made by one must be seen by another. */
const SOON = { timeout: 1_000 };

/** A browser in which language and appearance were chosen before. */
function contextIn({ server }: World, language: Language, scheme: 'light' | 'dark' = 'light'): BrowserContextOptions {
  const localStorage = [
    { name: 'language', value: JSON.stringify(language) },
    { name: 'colorScheme', value: JSON.stringify(scheme) },
  ];
  return { storageState: { cookies: [], origins: [{ origin: server.origin, localStorage }] } };
}

/** So many users of one family name, numbered. */
async function family({ api, admin }: World, lastName: string, count: number): Promise<void> {
  const userData = Array.from({ length: count }, (_, index) => ({
    firstName: `N${String(index + 1).padStart(3, '0')}`,
    lastName,
    identifier: `n${index + 1}.${lastName.toLowerCase()}@example.org`,
    pseudo: `${lastName}${index + 1}`,
    password: 'x',
    mapRight: false,
  }));
  const { createdUsers } = await api.call(createMultipleUsers, { userData }, admin.token);
  expect(createdUsers).toHaveLength(count);
}

const listOf = async ({ api, admin }: World, filter: string) =>
  (await api.call(getAllUsers, { filter }, admin.token)).res;

const rows = (page: Page): Locator => page.locator('tbody tr');
const rowOf = (page: Page, name: string): Locator => rows(page).filter({ hasText: name });
const filterBox = (page: Page, say: Say): Locator => page.getByRole('searchbox', { name: say('users.filter') });
const bar = (page: Page, say: Say): Locator => page.getByRole('region', { name: say('users.bulk.bar') });

async function expectAccessible(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .withTags(WCAG)
    .disableRules(LEFT_OUT)
    .analyze();
  const faults = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
  expect(faults, where).toEqual([]);
}

async function chooseFromBar(page: Page, say: Say, menu: string, item: string): Promise<void> {
  await bar(page, say)
    .getByRole('button', { name: say(menu) })
    .click();
  await page.getByRole('menuitem', { name: say(item) }).click();
}

test('order, filter, page and its size stand in the address and survive a reload', async ({ world, open }) => {
  const say = sayIn('fr');
  await family(world, 'Reload', 12);
  const page = await open(world.admin, '/usersList?q=reload');
  await expect(rows(page)).toHaveCount(5);
  await page.getByRole('button', { name: say('users.column.firstName') }).click();
  await page.getByRole('button', { name: say('users.column.firstName') }).click();
  await expect(rows(page).first()).toContainText('N012');
  await page.getByRole('button', { name: say('shared.pager.next') }).click();
  await expect(rows(page).first()).toContainText('N007');
  await expect(page).toHaveURL(/\?q=reload&sort=firstName&desc=true&page=2$/u);
  await page.reload();
  await expect(rows(page).first()).toContainText('N007');
  await expect(filterBox(page, say)).toHaveValue('reload');
  await page.getByLabel(say('shared.pager.size')).selectOption('10');
  await expect(rows(page)).toHaveCount(10);
  await filterBox(page, say).fill('reload5@');
  await expect(page.getByText(say('users.noMatch', { filter: 'reload5@' }))).toBeVisible();
  await filterBox(page, say).fill('n5.RÉLOAD@');
  await expect(rows(page)).toHaveCount(1);
  await page.goto('/usersList?q=reload');
  await expect(rows(page), 'the size is remembered').toHaveCount(10);
});

test('a user is deleted after a question, seen by another administrator at once; the last one cannot be', async ({
  world,
  open,
}) => {
  const say = sayIn('en');
  const { admin } = world;
  await family(world, 'Gone', 3);
  const context = contextIn(world, 'en');
  const expectedErrors = /status of 409/u;
  const page = await open(admin, '/usersList?q=gone', { context, expectedErrors });
  const other = await open(admin, '/usersList?q=gone', { context });
  await expect(rows(other)).toHaveCount(3);
  const name = 'N002 Gone';
  const ask = page.getByRole('button', { name: say('users.act.deleteName', { name }) });
  const dialog = page.getByRole('dialog', { name: say('users.delete.title') });
  await ask.click();
  await expect(dialog).toContainText(say('users.delete.question', { name }));
  await expectAccessible(page, 'the question');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(ask).toBeFocused();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: say('users.delete.confirm') }).click();
  await expect(page.getByText(say('users.delete.done'))).toBeVisible();
  await expect(rows(other)).toHaveCount(2, SOON);
  await expect(rows(page)).toHaveCount(2);
  await expect(filterBox(page, say), 'the focus is where one looks for the next').toBeFocused();

  await filterBox(page, say).fill(admin.email);
  await page.getByRole('button', { name: say('users.act.deleteName', { name: 'Camille Martin' }) }).click();
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
  const page = await open(admin, `/usersList?q=${lea.email}`, { context: contextIn(world, 'de') });
  const row = rowOf(page, lea.email);
  await expect(row).toContainText(say('users.offline'));
  await expect(row).toContainText(say('users.activity.login'));
  const theirs = await open(lea, '/channelsList', { expectedErrors: /status of 401/u });
  await expect(row).toContainText(say('users.online'), SOON);
  const more = page.getByRole('button', { name: say('users.act.moreName', { name: 'Disconnected Martin' }) });
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
  await family(world, 'Many', 30);
  const { id } = await api.channel(admin, 'Groupe');
  const page = await open(admin, '/usersList?q=many');
  const other = await open(admin, '/usersList?q=many&size=50');
  await expect(rows(other)).toHaveCount(30);
  const box = (name: string) => page.getByRole('checkbox', { name: say('users.select.one', { name }) });
  await box('N002 Many').check();
  await page.getByRole('button', { name: say('shared.pager.next') }).click();
  await box('N006 Many').check();
  await page.getByRole('button', { name: say('shared.pager.previous') }).click();
  await expect(box('N002 Many')).toBeChecked();
  await expect(bar(page, say)).toContainText(say('users.bulk.count_other', { count: 2 }));
  await page.getByRole('button', { name: say('users.bulk.allFound_other', { count: 30 }) }).click();
  await expect(bar(page, say)).toContainText(say('users.bulk.count_other', { count: 30 }));
  await expectAccessible(page, 'the list and the bar');

  const dialog = page.getByRole('dialog');
  await chooseFromBar(page, say, 'users.bulk.channels', 'users.bulk.menu.addToChannels');
  await pickRow(dialog, say, 'Groupe');
  await expectAccessible(page, 'the channels');
  await dialog.getByRole('button', { name: say('users.bulk.confirm.addToChannels') }).click();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 30 }));
  await expectAccessible(page, 'the report');
  await dialog.getByRole('button', { name: say('shared.close') }).click();
  expect((await api.call(getUsersInChannel, { channelId: id }, admin.token)).res).toHaveLength(30);

  await chooseFromBar(page, say, 'users.bulk.channels', 'users.bulk.menu.removeFromChannels');
  await pickRow(dialog, say, 'Groupe');
  await dialog.getByRole('button', { name: say('users.bulk.confirm.removeFromChannels') }).click();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 30 }));
  await dialog.getByRole('button', { name: say('shared.close') }).click();
  expect((await api.call(getUsersInChannel, { channelId: id }, admin.token)).res).toHaveLength(0);

  await chooseFromBar(page, say, 'users.bulk.map', 'users.bulk.menu.grantMap');
  await dialog.getByRole('button', { name: say('users.bulk.confirm.grantMap') }).click();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 30 }));
  await expect(rows(other).filter({ hasText: say('users.yes') })).toHaveCount(30, SOON);
  await dialog.getByRole('button', { name: say('shared.close') }).click();

  // One of them is deleted by somebody else meanwhile, and oneself is selected too.
  await filterBox(page, say).fill(admin.email);
  await box('Camille Martin').check();
  await bar(page, say)
    .getByRole('button', { name: say('users.act.delete') })
    .click();
  await expect(dialog).toContainText(say('users.bulk.self'));
  await expectAccessible(page, 'the question');
  const [gone] = await listOf(world, 'n3.many@');
  await other.getByRole('button', { name: say('users.act.deleteName', { name: 'N003 Many' }) }).click();
  await other.getByRole('button', { name: say('users.delete.confirm') }).click();
  await expect(rows(other)).toHaveCount(29);
  expect(gone).toBeDefined();
  await dialog.getByRole('button', { name: say('users.bulk.confirm.delete_other', { count: 30 }) }).click();
  await expect(dialog).toContainText(say('users.bulk.deleted_other', { count: 29 }));
  await expect(dialog.getByRole('listitem')).toHaveText(`N003 Many${say('users.bulk.reason.not_found')}`);
  await expect(other.getByText(say('users.noMatch', { filter: 'many' }))).toBeVisible(SOON);
  await expectAccessible(page, 'the report of a deletion');
  await dialog.getByRole('button', { name: say('shared.close') }).click();
  await expect(bar(page, say), 'who was left out is still selected').toContainText(
    say('users.bulk.count_one', { count: 1 }),
  );
  expect(await listOf(world, 'many')).toEqual([]);
});

test('a change to many can be stopped between its parts, and goes on after a lost link', async ({ world, open }) => {
  const say = sayIn('en');
  await family(world, 'Parts', 230);
  const page = await open(world.admin, '/usersList?q=parts', {
    context: contextIn(world, 'en'),
    expectedErrors: /net::ERR_FAILED/u,
  });
  const parts: { go: () => Promise<void>; fail: () => Promise<void> }[] = [];
  await page.route('**/user/api/changeUsers', (route) => {
    parts.push({ go: () => route.continue(), fail: () => route.abort() });
  });
  const done = async () => (await listOf(world, 'parts')).filter(({ mapRight }) => mapRight).length;
  const part = async (index: number) => {
    await expect.poll(() => parts.length).toBeGreaterThan(index);
    const found = parts[index];
    if (found === undefined) throw new Error('No such part');
    return found;
  };
  await page.getByRole('checkbox', { name: say('users.select.all') }).check();
  await page.getByRole('button', { name: say('users.bulk.allFound_other', { count: 230 }) }).click();
  await chooseFromBar(page, say, 'users.bulk.map', 'users.bulk.menu.grantMap');
  const dialog = page.getByRole('dialog', { name: say('users.bulk.ask.grantMap_other', { count: 230 }) });
  await dialog.getByRole('button', { name: say('users.bulk.confirm.grantMap') }).click();
  await (await part(0)).go();
  await expect(dialog).toContainText(say('users.bulk.progress', { done: 100, total: 230 }));
  await part(1);
  await expect(dialog.getByRole('button', { name: say('users.bulk.stop') })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectAccessible(page, 'the progress');
  await (await part(1)).go();
  await expect(dialog).toContainText(say('users.bulk.stopped'));
  await expect(dialog).toContainText(say('users.bulk.rest_other', { count: 30 }));
  expect(await done()).toBe(200);

  await dialog.getByRole('button', { name: say('users.bulk.goOn') }).click();
  await (await part(2)).fail();
  await expect(dialog).toContainText(say('users.bulk.failed'));
  await expect(dialog).toContainText(say('users.bulk.unsure_other', { count: 30 }));
  await expectAccessible(page, 'the failure');
  await dialog.getByRole('button', { name: say('users.bulk.goOn') }).click();
  await (await part(3)).go();
  await expect(dialog).toContainText(say('users.bulk.changed_other', { count: 230 }));
  expect(await done()).toBe(230);
});

for (const { language, scheme, width, height } of [
  { language: 'fr', scheme: 'light', width: 1600, height: 900 },
  { language: 'de', scheme: 'dark', width: 1280, height: 800 },
  { language: 'en', scheme: 'dark', width: 390, height: 844 },
  { language: 'de', scheme: 'light', width: 360, height: 640 },
] as const) {
  test(`the list with its bar fits ${width} px in ${language}, ${scheme}`, async ({ world, open }, testInfo) => {
    const say = sayIn(language);
    const { api, admin } = world;
    const long = `Anne${'Marguerite'.repeat(9)}`;
    for (const [index, firstName] of [long, 'فاطمة الزهراء', '👩🏽‍🚒 Zoë'].entries()) {
      const identifier = `fit${index}.${width}@example.org`;
      const userData = [
        { firstName, lastName: long, identifier, pseudo: long, password: 'x', mapRight: true, canal: '' },
      ];
      await api.call(createMultipleUsers, { userData }, admin.token);
    }
    const context = { ...contextIn(world, language, scheme), viewport: { width, height } };
    const page = await open(admin, `/usersList?q=${width}@example.org`, { context });
    await expect(rows(page)).toHaveCount(3);
    const tableAt = async () => (await page.getByRole('table').boundingBox())?.y;
    const before = await tableAt();
    await page.getByRole('checkbox', { name: say('users.select.all') }).check();
    await expect(bar(page, say)).toBeInViewport({ ratio: 1 });
    expect(await tableAt(), 'the table stays where it is').toBe(before);
    const spill = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(spill).toBeLessThanOrEqual(0);
    await expectAccessible(page, 'the list');
    await page.screenshot({ path: testInfo.outputPath('list.png') });
    await bar(page, say)
      .getByRole('button', { name: say('users.act.delete') })
      .click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page, 'the question');
    await page.screenshot({ path: testInfo.outputPath('question.png') });
  });
}
