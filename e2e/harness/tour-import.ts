import { expect, type Locator, type Page } from '@playwright/test';
import { createMultipleUsers } from '@pressel/contract/transfer';
import { PASSWORD } from './api.ts';
import { type TourGuide, turnTo } from './tour.ts';

/** Names of an import's columns that may be shown in any language. */
const COLUMNS = ['firstName', 'lastName', 'identifier', 'pseudo', 'password', 'mapRight', 'canal', 'role'];
const NAME = 'team.csv';
/** Values that the answers to its questions produce. */
const MADE = ['Jan B.', 'false'];

/** A file with an example of everything that may be wrong in one. */
export interface TeamFile {
  csv: string;
  /** Data of it that the screens may show unchanged. */
  said: readonly string[];
}

/** `mark` makes logins a test's own; `channel` and `login` exist. */
export function teamFile(mark: string, channel: string, login: string): TeamFile {
  const of = (name: string) => `${name}.${mark}@example.org`.toLowerCase();
  const swallowed = [`Quo;Berg;${of('quo')};QUO;secret12;true;;`, `Nil;Berg;${of('nil')};NIL;secret12;true;;`] as const;
  const rows = [
    `Ida;Berg;${of('ida')};IDA;secret12;true;${channel};admin`,
    `Jan;Berg;${of('jan')};;;;;`,
    `Kim;;${of('kim')};KIM;secret12;perhaps;;`,
    `Lou;Berg;${of('lou')};LOU;secret12;perhaps;;`,
    `Lea;Berg;${login};LEA;secret12;true;;`,
    `Ida;Berg;${of('ida')};IDA;secret12;true;${channel};admin`,
    `Nia;Berg;${of('nia')};NIA;secret12;true;${channel.slice(1)};`,
    'Olf;Berg;x@y;OLF; secret12 ;true;Zeta;',
    `Pia;Berg;${of('pia')};PIA;secret12;true;;;Omega`,
    `"${swallowed[0]}`,
    swallowed[1],
  ];
  return {
    csv: [COLUMNS.join(';'), ...rows].join('\n'),
    said: [
      NAME,
      ...COLUMNS,
      ...rows.flatMap((row) => row.split(';').map((cell) => cell.trim())),
      swallowed.join(' '),
      ...MADE,
    ],
  };
}

const choose = (page: Page, name: string, content: string): Promise<void> =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });

/** An import of users, from a refused file to its result, with all questions on the way. */
export async function tourTheImport(page: Page, guide: TourGuide, { csv }: TeamFile): Promise<void> {
  const { say, look } = guide;
  const press = (key: string, params?: { count: number }): Promise<void> =>
    page.getByRole('button', { name: say(`transfer.${key}`, params), exact: true }).click();
  const expectDialog = async (key: string, params?: { count: number }): Promise<Locator> => {
    const dialog = page.getByRole('dialog', { name: say(`transfer.${key}`, params) });
    await expect(dialog).toBeVisible();
    return dialog;
  };
  await turnTo(page, '/channelsList/import');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('transfer.title.channels'));
  await choose(page, 'photo.png', '\u0089PNG\u0000');
  // A notice of the tour before may still stand.
  await expect(page.getByRole('alert').filter({ hasText: say('transfer.fault.not_a_sheet') })).toBeVisible();
  await look('import, no sheet', page);
  await choose(page, NAME, csv);
  await expect(page.getByText(say('transfer.kind.users'))).toBeVisible();
  await look('import, of the other kind', page);
  await press('kind.other');
  await expect(page).toHaveURL(/\/usersList\/import$/u);
  await expect(page.getByText(say('transfer.ask.first'))).toBeVisible();
  await look('import, first questions', page);
  await tourTheDraft(page, guide, csv);

  await press('ask.quoteLetters');
  // The import reads the file once more.
  await expect(page.getByRole('button', { name: say('transfer.ask.quoteLetters') })).toHaveCount(0);
  await press('review.columns');
  await expect(page.getByRole('heading', { name: say('transfer.columns.title') })).toBeVisible();
  await look('import, columns', page);
  await press('columns.continue');
  await press('ask.strayLeave');
  await expect(page.getByText(say('transfer.ask.noPassword_one', { count: 1 }))).toBeVisible();
  await look('import, questions', page);
  await press('ask.unknownMake_one');
  const making = await expectDialog('make.title_one', { count: 1 });
  await look('import, make a channel?', page);
  await making.getByRole('button', { name: say('shared.cancel') }).click();
  await expect(making).toHaveCount(0);
  for (const fill of ['noPseudoFill', 'noPasswordFill', 'noMapNo']) await press(`ask.${fill}`);
  // A correction in one row may fit another row too.
  const cell = page.getByRole('grid').getByText('perhaps', { exact: true }).last();
  await cell.click();
  await expect(page.getByRole('grid').getByRole('textbox')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('true');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: say('transfer.review.alike_one', { count: 1 }) })).toBeVisible();
  await look('import, put right', page);

  await press('review.send_other', { count: 6 });
  const sure = await expectDialog('sure.title');
  await sure.getByRole('checkbox').check();
  await sure.getByRole('button', { name: say('transfer.sure.confirm') }).click();
  await expect(sure.getByText(say('transfer.sure.wrong'))).toBeVisible();
  await look('import, are you sure?', page);
  await sure.getByLabel(say('transfer.sure.password'), { exact: true }).fill(PASSWORD);
  const { promise: looked, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(`**${createMultipleUsers.path}`, async (route) => {
    await looked;
    await route.continue();
  });
  await sure.getByRole('button', { name: say('transfer.sure.confirm') }).click();
  await expect(page.getByText(say('transfer.run.starting'))).toBeVisible();
  await look('import, on its way', page);
  goOn();
  await expect(page.getByRole('heading', { name: say('transfer.done.title') })).toBeVisible();
  await look('import, done', page);
  await press('done.another');
  const passwords = await expectDialog('done.passwordsTitle');
  await look('import, without the passwords?', page);
  await passwords.getByRole('button', { name: say('transfer.done.passwordsLeave') }).click();
  await expect(passwords).toHaveCount(0);
  await page.unrouteAll({ behavior: 'wait' });
}

/** An import is left before it was sent, found again, nearly lost to another file, and taken up. */
async function tourTheDraft(page: Page, { say, look }: TourGuide, csv: string): Promise<void> {
  await page
    .getByRole('link', { name: say('transfer.back.users'), exact: true })
    .first()
    .click();
  const leaving = page.getByRole('dialog', { name: say('transfer.leave.title') });
  await expect(leaving).toBeVisible();
  await look('import, leave it?', page);
  await leaving.getByRole('button', { name: say('transfer.leave.keep') }).click();
  await expect(page).toHaveURL(/usersList$/u);
  await turnTo(page, '/usersList/import');
  const draft = page.getByRole('region', { name: say('transfer.draft.title') });
  await expect(draft).toBeVisible();
  await look('import, a draft', page);
  await choose(page, NAME, csv);
  const replacing = page.getByRole('dialog', { name: say('transfer.draft.replaceTitle') });
  await expect(replacing).toBeVisible();
  await look('import, replace the draft?', page);
  await replacing.getByRole('button', { name: say('shared.cancel') }).click();
  await expect(replacing).toHaveCount(0);
  await draft.getByRole('button', { name: say('transfer.draft.resume') }).click();
  await expect(page.getByText(say('transfer.ask.first'))).toBeVisible();
}
