// @vitest-environment node
import { joinChannelNames } from '@pressel/contract/import-rules';
import { unzipSync } from 'fflate/browser';
import { describe, expect, test } from 'vitest';
import Workbooks from 'xlsx-populate';
import { matchColumns, rowsOf } from './columns.ts';
import { judgeRows } from './import-kinds.ts';
import { readSheets } from './read-sheet.ts';
import { modelSheetsOf, rejectedSheetOf, sheetOf, type TextSheet } from './transfer-sheets.ts';
import { makeWorkbook } from './workbook.ts';

const readSheet = async (bytes: Uint8Array<ArrayBuffer>) => {
  const [first] = await readSheets(bytes);
  if (first === undefined) throw new Error('No sheet');
  return first.sheet;
};
const bytesOf = async (sheets: readonly TextSheet[]) =>
  new Uint8Array(await (await makeWorkbook(sheets)).arrayBuffer());
const readBack = async (sheet: TextSheet) => readSheet(await bytesOf([sheet]));

const STRANGE = [
  '=1+1',
  '+33 6',
  '-5',
  '@SUM(A1)',
  '007',
  ' spaces around ',
  'a "quoted" one',
  "l'été & <b>",
  '🎧👩🏽‍🚒',
  'non\u00a0breaking',
  'two\nlines',
  'carriage\r\nreturn',
  'tab\there',
  '_x0041_ is no A',
  'bell\u0007',
  'مرحبا',
  '\ufffd',
  'true',
  '1e5',
];

test('what is written is read back to the character, whatever it is', async () => {
  const { headers, rows } = await readBack({
    name: 'x',
    rows: [['name'], ...STRANGE.map((text) => [text])],
    widths: [9],
  });
  expect(headers).toEqual(['name']);
  expect(rows.map(({ cells }) => cells[0])).toEqual(STRANGE);
});

test('every cell is text in the text format: no formula, no number', async () => {
  const files = unzipSync(
    await bytesOf([{ name: 'x', rows: [['name'], ...STRANGE.map((text) => [text])], widths: [9] }]),
  );
  const xml = new TextDecoder().decode(files['xl/worksheets/sheet1.xml']);
  const cells = [...xml.matchAll(/<c [^>]*>/gu)].map(([tag]) => tag);
  expect(cells).toHaveLength(STRANGE.length + 1);
  for (const tag of cells) expect(tag).toMatch(/ t="s"/u);
  expect(xml).not.toContain('<f>');
  expect(new TextDecoder().decode(files['xl/styles.xml'])).toContain('numFmtId');
});

describe('an export', () => {
  const users = [
    {
      firstName: '=Léa',
      lastName: 'Öz',
      identifier: 'lea@example.org',
      pseudo: '007',
      password: '',
      mapRight: 'true',
      canal: joinChannelNames(['Nord; Est', 'Sud']),
    },
    {
      firstName: 'Max',
      lastName: 'B',
      identifier: 'max@example.org',
      pseudo: 'M',
      password: '',
      mapRight: 'false',
      canal: '',
    },
  ];

  test('imports again: every user exists already, and nothing was lost', async () => {
    const sheet = await readBack(sheetOf('users', 'Coéquipiers', users));
    const judged = judgeRows('users', rowsOf(sheet, matchColumns('users', sheet.headers)), {
      identifiers: new Set(users.map(({ identifier }) => identifier)),
      channelKeys: new Set(['Nord;Est', 'Sud']),
      passwordMinLength: 1,
    });
    expect(judged.map(({ state }) => state)).toEqual(['existing', 'existing']);
    expect(judged.map(({ cells }) => cells)).toMatchObject(users);
  });

  test('spreads the channels of a user of thousands over columns that Excel can hold', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `Canal ${index} ${'x'.repeat(30)}`);
    const canal = joinChannelNames(names);
    const sheet = sheetOf('users', 'x', [{ ...users[0], canal }]);
    expect(Math.max(...sheet.rows.flat().map((text) => text.length))).toBeLessThanOrEqual(32_767);
    const read = await readBack(sheet);
    const [row] = rowsOf(read, matchColumns('users', read.headers));
    expect(row?.canal).toBe(canal);
  });
});

test('the rows not added are read again as an import; their reason is passed over', async () => {
  const rows = [{ cells: { name: 'Nord' }, reason: 'Nom du canal : trop long' }];
  const sheet = await readBack(rejectedSheetOf('channels', 'Canaux', 'Raison', rows));
  expect(sheet).toEqual({ headers: ['name', 'Raison'], rows: [{ row: 2, cells: ['Nord', rows[0]?.reason] }] });
  expect(rowsOf(sheet, matchColumns('channels', sheet.headers))).toEqual([{ row: 2, name: 'Nord' }]);
});

test('the first sheet of the model is its table', async () => {
  const words = {
    sheet: 'Canaux',
    help: 'Aide',
    column: 'Colonne',
    allowed: 'Valeurs',
    example: { name: 'Équipe' },
    mapRights: [],
    fields: {},
  };
  const sheet = await readSheet(await bytesOf(modelSheetsOf('channels', words)));
  expect(sheet).toEqual({ headers: ['name'], rows: [{ row: 2, cells: ['Équipe'] }] });
});

test('the model’s empty cells are text, and its access to the map is chosen from a list', async () => {
  const words = {
    ...{ sheet: 'Coéquipiers', help: 'Aide', column: 'Colonne', allowed: 'Valeurs', fields: {} },
    example: { firstName: 'Léa', lastName: 'Martin', identifier: 'lea@example.org', mapRight: 'vrai' },
    mapRights: ['vrai', 'faux'],
  };
  const book = await Workbooks.fromDataAsync(await bytesOf(modelSheetsOf('users', words)));
  const sheet = book.sheet(0);
  const headers = (sheet.usedRange()?.value()[0] ?? []) as string[];
  expect(headers).toContain('mapRight');
  for (const index of headers.keys()) expect(sheet.column(index + 1).style('numberFormat')).toBe('@');
  const offer = sheet
    .range(2, headers.indexOf('mapRight') + 1, 10_001, headers.indexOf('mapRight') + 1)
    .dataValidation();
  expect(offer).toMatchObject({ type: 'list', formula1: '"vrai,faux"' });
});
