import type { Download, Locator, Page } from '@playwright/test';
import { logIn } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { readSheet } from 'read-excel-file/node';
import writeXlsx from 'write-excel-file/node';
import { expect, type Open, test, type World } from '../fixtures.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { logOut } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { type Language, type Say, sayIn } from '../harness/words.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Opens a screen in a language, under the server's own content policy, which must allow our workers. */
async function openIn(language: Language, path: string, { world, open }: { world: World; open: Open }): Promise<Page> {
  const context = { bypassCSP: false, acceptDownloads: true };
  return open(world.admin, path, { language, context, expectedErrors: /net::ERR_CONNECTION_RESET|status of 409/u });
}

const workbookOf = async (rows: readonly (readonly (string | boolean | number)[])[]): Promise<Buffer> =>
  writeXlsx(rows.map((row) => [...row])).toBuffer();

const choose = (page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });

/** Drops a file as a hand would: over the cursor, then let go. */
async function drop(page: Page, name: string, mimeType: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, type, base64]) => {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([content], fileName, { type }));
      return data;
    },
    [name, mimeType, bytes.toString('base64')] as const,
  );
  const zone = page.locator('main [data-drop-area]');
  for (const event of ['dragenter', 'dragover', 'drop']) await zone.dispatchEvent(event, { dataTransfer: transfer });
}

async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: await bytesOf(download) };
}

async function bytesOf(download: Download): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The cell of a row of the file; rows have their number there. */
const cellOf = (page: Page, row: number, column: number): Locator =>
  page
    .getByRole('grid')
    .locator('tbody tr')
    .filter({ has: page.getByRole('rowheader', { name: String(row), exact: true }) })
    .locator('td')
    .nth(column + 1);

const group = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

const sendButton = (page: Page, say: Say, count: number): Locator =>
  page.getByRole('button', { name: say(`transfer.review.send_${count === 1 ? 'one' : 'other'}`, { count }) });

async function confirm(page: Page, say: Say): Promise<void> {
  const dialog = page.getByRole('dialog', { name: say('transfer.sure.title') });
  await dialog.getByRole('button', { name: say('transfer.sure.confirm') }).click();
  await expect(page.getByRole('heading', { name: say('transfer.done.title') })).toBeVisible();
}

test('[IMP2 IMP5 IMP6 IMP7 IMP9 IMP10 IMP11 IMP14] a workbook in French: judged, put right in place, imported; what is left comes back in a workbook', async ({
  world,
  open,
}) => {
  const { api, admin } = world;
  const say = sayIn('fr');
  const { name: channel } = await api.channel(admin, 'Équipe; Nord');
  const old = await api.person('Ancien', admin.token);
  const login = (name: string) => world.own(name).replace(' ', '.').concat('@example.org');
  const page = await openIn('fr', '/usersList/import', { world, open });
  await expectAccessible(page, 'choose');

  const header = ['Prénom', 'Nom', 'Login', 'Pseudo', 'Mot de passe', 'Droit carte', 'Mes canal', 'Remarque'];
  const lea = ['Léa', 'Öz', login('lea'), '007', '=1+1', 'vrai', `"${channel}"`, ''];
  const buffer = await workbookOf([
    header,
    lea,
    ['Hugo', '', login('hugo'), 'HUG', 'secret', 'FAUX', '', 'sans nom'],
    ['Ancien', 'Martin', old.email.toUpperCase(), 'A', '', 'true', '', ''],
    lea,
    ['Nour', 'B', login('nour'), 'NOU', 'secret', 'oui', 'Inconnu', ''],
    ['Ida', 'C', login('lea'), 'IDA', 'secret', true, '', ''],
  ]);
  await drop(page, 'équipe.xlsx', XLSX, buffer);
  await expect(page.getByRole('grid')).toBeVisible();
  await expect(sendButton(page, say, 1)).toBeEnabled();
  const chip = (state: string, count: number) =>
    page.getByRole('button', { name: `${say(`transfer.state.${state}`)} ${count}`, exact: true });
  for (const [state, count] of Object.entries({ rejected: 3, existing: 1, repeated: 1, good: 1 }))
    await expect(chip(state, count)).toBeVisible();
  await expectAccessible(page, 'review');

  // The next problem is corrected by keyboard alone; the cell beside it is looked at and left as it was.
  await page.getByRole('button', { name: say('transfer.review.next') }).click();
  await expect(cellOf(page, 3, 1)).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Petit');
  await page.keyboard.press('Tab');
  await page.keyboard.type('x@y');
  await page.keyboard.press('Escape');
  await expect(cellOf(page, 3, 2)).toHaveText(login('hugo'));
  await expect(sendButton(page, say, 2)).toBeEnabled();
  await expect(chip('rejected', 2)).toBeVisible();

  // The page asks the server about a login that was typed over.
  await cellOf(page, 3, 2).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(old.email);
  await expect(chip('existing', 2)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sendButton(page, say, 2)).toBeEnabled();

  await sendButton(page, say, 2).click();
  const dialog = page.getByRole('dialog', { name: say('transfer.sure.title') });
  await expect(dialog).toContainText(say('transfer.sure.users_other', { count: 2 }));
  await expectAccessible(page, 'sure');
  await confirm(page, say);
  await expect(group(page, say('transfer.done.created'))).toContainText(login('hugo'));
  await expect(group(page, say('transfer.done.existing'))).toContainText(old.email.toUpperCase());
  const rejected = group(page, say('transfer.done.rejected'));
  await expect(rejected).toContainText(say('transfer.done.row', { row: 6 }));
  await expect(rejected).toContainText(say('transfer.reason.unknown_channel', { names: 'Inconnu' }));
  await expectAccessible(page, 'done');

  const left = await saved(page, () => page.getByRole('button', { name: say('transfer.done.download') }).click());
  expect(left.name).toBe('Coéquipiers_non_ajoutés.xlsx');
  const [columns, ...rows] = await readSheet(left.bytes);
  expect(columns?.at(-1)).toBe(say('exports.file.reason'));
  expect(rows.map((row) => row[2])).toEqual([login('nour'), login('lea')]);

  // The file is corrected and dropped again: the import ignores the column of reasons.
  const [nour = []] = rows;
  const again = await workbookOf([
    (columns ?? []).map(String),
    [...nour.slice(0, 5).map(String), 'false', '', String(nour.at(-1))],
  ]);
  await page.getByRole('button', { name: say('transfer.done.another') }).click();
  await choose(page, left.name, XLSX, again);
  await sendButton(page, say, 1).click();
  await confirm(page, say);
  await expect(group(page, say('transfer.done.created'))).toContainText(login('nour'));

  const [stored] = (await api.call(getAllUsers, { filter: login('lea') }, admin.token)).res;
  expect(stored).toMatchObject({ firstName: 'Léa', lastName: 'Öz', pseudo: '007', mapRight: true });
  expect(stored?.channels?.map(({ name }) => name)).toEqual([channel]);
});

test('[IMP19 IMP20 IMP21] an export is text through and through, and imports again without anything new', async ({
  world,
  open,
}) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  await api.person('=Formel', admin.token);
  const page = await openIn('fr', '/usersList', { world, open });
  const file = await saved(page, () => page.getByRole('button', { name: say('exports.buttons.export') }).click());
  expect(file.name).toBe('Liste_coéquipiers.xlsx');
  const [columns, ...rows] = await readSheet(file.bytes);
  const spec = ['firstName', 'lastName', 'identifier', 'pseudo', 'password', 'mapRight', 'canal'];
  expect(columns).toEqual([...spec, 'phone', 'role']);
  expect(rows.map((row) => row[0])).toContain('=Formel');
  expect(rows.every((row) => row[4] === null)).toBe(true);

  await page.getByRole('link', { name: say('exports.buttons.import') }).click();
  await choose(page, file.name, XLSX, file.bytes);
  const existing = `${say('transfer.state.existing')} ${rows.length}`;
  await expect(page.getByRole('button', { name: existing, exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: say('transfer.review.nothing') })).toBeDisabled();
  await page.goto('/channelsList');
  const channels = await saved(page, () => page.getByRole('button', { name: say('exports.buttons.export') }).click());
  expect(channels.name).toBe('Liste_canaux.xlsx');
});

test('[IMP2 IMP12 IMP13] a CSV file of channels in German, with columns chosen by hand', async ({ world, open }) => {
  const say = sayIn('de');
  const { api, admin } = world;
  const south = await api.channel(admin, 'Süd');
  const [north, quoted] = [world.own('Nord'), world.own('Ost "neu"')];
  const page = await openIn('de', '/channelsList/import', { world, open });
  // The file is in windows-1252, as Excel saves CSV in Western Europe.
  const spaced = south.name.replace('Süd', 'Sü d');
  const rows = [`${north};eins`, `${spaced};zwei`, `"${quoted.replaceAll('"', '""')}";drei`, ';vier', ''];
  const csv = Buffer.from(['Bezeichnung;Notiz', ...rows].join('\r\n'), 'latin1');
  await choose(page, 'kanäle.csv', 'text/csv', csv);
  await expect(page.getByText(say('transfer.columns.missing', { fields: say('transfer.field.name') }))).toBeVisible();
  await expectAccessible(page, 'columns');
  await page
    .getByRole('combobox', { name: say('transfer.columns.useOf', { name: 'Bezeichnung' }) })
    .selectOption({ label: say('transfer.field.name') });
  await page.getByRole('button', { name: say('transfer.columns.continue') }).click();
  await sendButton(page, say, 2).click();
  await confirm(page, say);
  await expect(group(page, say('transfer.done.created'))).toContainText(quoted);
  await expect(group(page, say('transfer.done.existing'))).toContainText(spaced);
  await expect(group(page, say('transfer.done.rejected'))).toContainText(say('transfer.done.row', { row: 5 }));
  const { res } = await api.call(getAllChannels, { filter: quoted }, admin.token);
  expect(res.map(({ name }) => name)).toEqual([quoted]);

  await page.getByRole('link', { name: say('transfer.done.toList.channels') }).click();
  const model = await saved(page, () => page.getByRole('button', { name: say('exports.buttons.model') }).click());
  expect(model.name).toBe('model.xlsx');
  expect(await readSheet(model.bytes)).toEqual([['name'], [say('exports.file.exampleChannel')]]);
  const help = await readSheet(model.bytes, 2);
  expect(help[1]?.[1]).toBe(say('exports.file.help_name', { channel: 100 }));
});

test('files that are no sheets say what they are, and members have no import', async ({ world, open }) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const page = await openIn('fr', '/channelsList/import', { world, open });
  const cases = [
    ['photo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), 'not_a_sheet'],
    ['vieux.xls', Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.alloc(600)]), 'old_excel'],
    ['cassé.xlsx', Buffer.from('PK\u0003\u0004 rien'), 'unreadable'],
    ['titres.csv', Buffer.from('name\n'), 'only_header'],
  ] as const;
  for (const [name, buffer, fault] of cases) {
    await choose(page, name, '', buffer);
    await expect(page.getByRole('alert')).toHaveText(say(`transfer.fault.${fault}`));
  }
  const lou = await api.person('Lou', admin.token);
  const theirs = await open(lou, '/usersList/import');
  await expect(theirs.getByRole('heading', { name: say('app.notYours.title') })).toBeVisible();
});

/** Enough passwords to hash that there is time to do something meanwhile. */
const crowd = (name: string, size: number) =>
  workbookOf([
    ['firstName', 'lastName', 'identifier', 'pseudo', 'password', 'mapRight', 'canal'],
    ...Array.from({ length: size }, (_, index) => [
      'Foule',
      `${index}`,
      `${name}${index}@example.org`,
      'F',
      'secret',
      'false',
      '',
    ]),
  ]);

test('[IMP16] an import is cancelled on the way, and nothing of it is stored', async ({ world, open }) => {
  const say = sayIn('fr');
  const { api, admin } = world;
  const before = (await api.call(getAllUsers, {}, admin.token)).totalRecords;
  const page = await openIn('fr', '/usersList/import', { world, open });
  await choose(page, 'foule.xlsx', XLSX, await crowd('annule', 1_000));
  await sendButton(page, say, 1_000).click();
  await page.getByRole('button', { name: say('transfer.sure.confirm') }).click();
  // The socket brings the progress.
  await expect(page.getByText(/^\d+ sur 1\s000$/u)).toBeVisible();
  await expectAccessible(page, 'run');
  await page.getByRole('button', { name: say('transfer.run.cancel') }).click();
  await expect(page.getByRole('heading', { name: say('transfer.done.cancelled') })).toBeVisible();
  expect((await api.call(getAllUsers, {}, admin.token)).totalRecords).toBe(before);
  await page.getByRole('button', { name: say('transfer.done.backToRows') }).click();
  await expect(sendButton(page, say, 1_000)).toBeEnabled();
});

test('[IMP17] an answer lost on the way is asked for until it is known how the import ended', async ({
  world,
  open,
}) => {
  const say = sayIn('fr');
  const page = await openIn('fr', '/usersList/import', { world, open });
  await page.route('**/createMultipleUsers', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await choose(page, 'foule.xlsx', XLSX, await crowd('perdu', 3));
  await sendButton(page, say, 3).click();
  await confirm(page, say);
  await expect(group(page, say('transfer.done.created'))).toContainText('perdu2@example.org');
});

test('a running import is found again after a reload, and what it came to after another', async ({ world, open }) => {
  const say = sayIn('fr');
  const page = await openIn('fr', '/usersList/import', { world, open });
  page.on('dialog', (dialog) => void dialog.accept());
  await choose(page, 'foule.xlsx', XLSX, await crowd('recharge', 300));
  await sendButton(page, say, 300).click();
  await page.getByRole('button', { name: say('transfer.sure.confirm') }).click();
  await expect(page.getByText(/^\d+ sur 300$/u)).toBeVisible();
  await page.reload();
  // The import is still on its way, or done meanwhile.
  const heading = (key: string) => page.getByRole('heading', { name: say(key) });
  await expect(heading('transfer.run.title').or(heading('transfer.done.title'))).toBeVisible();
  await expect(group(page, say('transfer.done.created'))).toContainText('recharge2@example.org', { timeout: 120_000 });
  // The device forgets the rows as soon as it knows the result (IMP28); a reload may come before that.
  await expect(async () => {
    await page.reload();
    await expect(group(page, say('transfer.done.created'))).toBeVisible();
    expect(await page.getByText(say('transfer.done.rowsGone')).isVisible()).toBe(true);
  }).toPass();
});

test('[IMP28] an import that was not sent stays on the device when it is left, and goes with the session', async ({
  world,
  open,
}) => {
  const say = sayIn('fr');
  // This page has a session of its own, because it signs out.
  const signedIn = await world.api.call(logIn, { user_email: world.admin.email, user_password: PASSWORD });
  const admin = { ...world.admin, token: signedIn.user.authToken };
  const page = await openIn('fr', '/usersList/import', { world: { ...world, admin }, open });
  await choose(page, 'brouillon.xlsx', XLSX, await crowd('brouillon', 3));
  await expect(sendButton(page, say, 3)).toBeEnabled();
  await cellOf(page, 2, 1).click();
  await page.keyboard.type('Corrigée');
  await page.keyboard.press('Enter');

  const leave = page.getByRole('link', { name: say('transfer.back.users'), exact: true }).first();
  const asking = page.getByRole('dialog', { name: say('transfer.leave.title') });
  await leave.click();
  await expect(asking).toContainText(say('transfer.leave.text'));
  await expectAccessible(page, 'leave');
  await asking.getByRole('button', { name: say('transfer.leave.stay') }).click();
  await expect(cellOf(page, 2, 1)).toHaveText('Corrigée');
  await leave.click();
  await asking.getByRole('button', { name: say('transfer.leave.keep') }).click();
  await expect(page).toHaveURL(/usersList$/u);

  await page.getByRole('link', { name: say('exports.buttons.import') }).click();
  const draft = page.getByRole('region', { name: say('transfer.draft.title') });
  await expect(draft).toContainText('brouillon.xlsx');
  await expectAccessible(page, 'draft');
  await page.reload();
  await draft.getByRole('button', { name: say('transfer.draft.resume') }).click();
  await expect(cellOf(page, 2, 1)).toHaveText('Corrigée');

  // Signing out removes everything of it.
  const stored = () =>
    page.evaluate(
      () =>
        new Promise<number>((resolve, reject) => {
          const opening = indexedDB.open('pressel.drafts', 1);
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const counting = opening.result.transaction('items').objectStore('items').count();
            counting.onsuccess = () => {
              opening.result.close();
              resolve(counting.result);
            };
          };
        }),
    );
  await expect.poll(stored).toBe(1);
  await logOut(page, say, world.admin.name);
  await expect.poll(stored).toBe(0);
});
