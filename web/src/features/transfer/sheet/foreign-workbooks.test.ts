// @vitest-environment node
import { expect, test } from 'vitest';
import Workbooks, { type Sheet as WorkbookSheet } from 'xlsx-populate';
import { bestSheet, matchColumns, rowsOf } from './columns.ts';
import { judgeRows } from './import-kinds.ts';
import { readSheets } from './read-sheet.ts';

// Another program's library makes these workbooks, not our writer.

type Value = string | number | boolean | undefined;

function fill(sheet: WorkbookSheet, rows: readonly (readonly Value[])[]): void {
  for (const [row, values] of rows.entries())
    for (const [column, value] of values.entries())
      if (value !== undefined) sheet.cell(row + 1, column + 1).value(value);
}

async function read(prepare: (sheet: WorkbookSheet, add: (name: string) => WorkbookSheet) => void) {
  const workbook = await Workbooks.fromBlankAsync();
  prepare(workbook.sheet(0).name('Feuille'), (name) => workbook.addSheet(name));
  return readSheets(Uint8Array.from(await workbook.outputAsync('uint8array')));
}

const HEADER = ['Prénom', 'Nom', 'Login', 'Pseudo', 'Mot de passe', "Droit d'accés à la carte", 'canal'];
const person = (at: number, password: Value, canal?: string) => [
  `P${at}`,
  'Nom',
  `p${at}@example.org`,
  `P${at}`,
  password,
  'vrai',
  canal,
];

function judge(sheets: Awaited<ReturnType<typeof read>>) {
  const sheet = bestSheet('users', sheets)?.sheet;
  if (sheet === undefined) throw new Error('No sheet');
  const known = { identifiers: new Set<string>(), channelKeys: new Set(['Nord', 'Sud']), passwordMinLength: 1 };
  return judgeRows('users', rowsOf(sheet, matchColumns('users', sheet.headers)), known);
}

test('[IMP24] a number in a password is what its format shows, and the row says so', async () => {
  const formats = [
    [612345678, '0000000000', '0612345678'],
    [1234, '00000', '01234'],
    [5000, '#,##0', '5,000'],
    [1, '0%', '100%'],
    [1, '0\\ %', '100 %'],
    [0.5, '0.00', '0.50'],
    [42, 'General', '42'],
    [7, '@', '7'],
  ] as const;
  const judged = judge(
    await read((sheet) => {
      fill(sheet, [HEADER, ...formats.map(([number], at) => person(at, number))]);
      for (const [at, [, format]] of formats.entries()) sheet.cell(at + 2, 5).style('numberFormat', format);
    }),
  );
  expect(judged.map(({ cells }) => cells.password)).toEqual(formats.map(([, , shown]) => shown));
  expect(judged.map(({ state }) => state)).toEqual(formats.map(() => 'good'));
  expect(judged.map(({ notes }) => notes?.password)).toEqual([...Array(6).fill('shown'), undefined, undefined]);
});

test('[IMP24] a fraction without a format, a date and a boolean are still no passwords', async () => {
  const judged = judge(
    await read((sheet) => {
      fill(sheet, [HEADER, person(0, 0.5), person(1, 44_000), person(2, true)]);
      sheet.cell('E3').style('numberFormat', 'dd/mm/yyyy');
    }),
  );
  expect(judged.map(({ faults }) => faults.map(({ code }) => code))).toEqual([
    ['not_text'],
    ['not_text'],
    ['not_text'],
  ]);
});

test('[IMP25] a cell merged over several rows counts for each of them, and makes no row by itself', async () => {
  const judged = judge(
    await read((sheet) => {
      fill(sheet, [HEADER, person(0, 'a', 'Nord;Sud'), person(1, 'b'), person(2, 'c'), person(3, 'd')]);
      sheet.range('G2:G4').merged(true);
      sheet.range('G5:G9').merged(true);
    }),
  );
  expect(judged.map(({ cells }) => cells.canal)).toEqual(['Nord;Sud', 'Nord;Sud', 'Nord;Sud', '']);
  expect(judged.map(({ notes }) => notes?.canal)).toEqual([undefined, 'merged', 'merged', undefined]);
});

test('[IMP27] a hidden sheet is never chosen before a visible one', async () => {
  const sheets = await read((sheet, add) => {
    fill(sheet, [HEADER, person(0, 'old')]);
    fill(add('Équipe'), [HEADER, person(1, 'new')]);
    sheet.hidden(true);
  });
  expect(sheets.map(({ name, isHidden }) => [name, isHidden ?? false])).toEqual([
    ['Feuille', true],
    ['Équipe', false],
  ]);
  expect(bestSheet('users', sheets)?.name).toBe('Équipe');
});

test('[IMP23] channels in one cell with semicolons between them are a row each', async () => {
  const [first] = await read((sheet) => fill(sheet, [['Nom du canal'], ['Nord;Sud; Est'], ['"Ouest; loin"']]));
  if (first === undefined) throw new Error('No sheet');
  const rows = rowsOf(first.sheet, matchColumns('channels', first.sheet.headers));
  expect(rows.map(({ name }) => name)).toEqual(['Nord', 'Sud', 'Est', 'Ouest; loin']);
  expect(new Set(rows.map(({ row }) => row)).size).toBe(4);
});
