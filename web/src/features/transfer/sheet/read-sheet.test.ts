// @vitest-environment node
import { IMPORT_FILE_MAX_BYTES, IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import { zipSync } from 'fflate/browser';
import { describe, expect, test } from 'vitest';
import { bestSheet } from './columns.ts';
import { readSheets } from './read-sheet.ts';
import { makeWorkbook } from './workbook.ts';
import { UNPACKED_MAX_BYTES, unpack } from './zip-synchronous.ts';

const readSheet = async (bytes: Uint8Array<ArrayBuffer>) => {
  const [first] = await readSheets(bytes);
  if (first === undefined) throw new Error('No sheet');
  return first.sheet;
};
const utf8 = (text: string) => Uint8Array.from(new TextEncoder().encode(text));
const workbook = async (rows: string[][]) =>
  new Uint8Array(await (await makeWorkbook([{ name: 'x', rows, widths: [] }])).arrayBuffer());
const faultOf = (bytes: Uint8Array<ArrayBuffer>) =>
  readSheet(bytes).then(
    () => 'none',
    (error: { fault: string }) => error.fault,
  );
const encrypted = () => {
  const name = Array.from('EncryptedPackage', (letter) => [letter.charCodeAt(0), 0]).flat();
  return Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, ...new Array<number>(600).fill(0), ...name]);
};
/** Changes an archive's end record, its last 22 bytes, or the directory that it points to (APPNOTE 6.3.10, 4.3.12 and 4.3.16). */
const forged = (archive: Uint8Array<ArrayBuffer>, forge: (view: DataView, end: number, directory: number) => void) => {
  const view = new DataView(archive.buffer);
  const end = archive.length - 22;
  forge(view, end, view.getUint32(end + 16, true));
  return archive;
};
/** A zip archive whose single file claims this unpacked size. */
const zipClaiming = (bytes: number) =>
  forged(zipSync({ 'xl/workbook.xml': new Uint8Array(100) }), (view, _end, directory) =>
    view.setUint32(directory + 24, bytes, true),
  );

/** The files of a workbook whose only worksheet has cells at these references. */
const filesOf = (...places: string[]) => ({
  '[Content_Types].xml': utf8('<Types/>'),
  'xl/workbook.xml': utf8('<workbook><sheets><sheet name="x" sheetId="1" r:id="rId1"/></sheets></workbook>'),
  'xl/_rels/workbook.xml.rels': utf8(
    '<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
  ),
  'xl/worksheets/sheet1.xml': utf8(
    `<worksheet><sheetData>${places
      .map((place) => `<row r="${place.replace(/\D/gu, '')}"><c s="0" r="${place}" t="str"><v>name</v></c></row>`)
      .join('')}</sheetData></worksheet>`,
  ),
});
const cellsAt = (...places: string[]) => zipSync(filesOf(...places));

const LARGE = new Uint8Array(4_194_304);
/** Makes a workbook of one row and a large file. Its directory names the file so often that all together are one too many. */
const bomb = ({ level, claim = LARGE.length }: { level: 0 | 6; claim?: number }) => {
  const name = 'xl/A.xml';
  const archive = zipSync({ ...filesOf('A1', 'A2'), [name]: [LARGE, { level }] });
  const [directory, end] = [archive.slice(0, -22), archive.slice(-22)];
  // Its entry is the last one, and its name the last in the entry.
  const entry = directory.slice(-46 - name.length);
  new DataView(entry.buffer).setUint32(24, claim, true);
  const more = Array.from({ length: UNPACKED_MAX_BYTES / LARGE.length }, (_, index) => {
    const named = entry.slice();
    named[entry.length - 5] = 0x42 + index;
    return named;
  });
  return forged(Uint8Array.from(Buffer.concat([directory, ...more, end])), (view, at) => {
    const count = view.getUint16(at + 8, true) + more.length;
    view.setUint16(at + 8, count, true);
    view.setUint16(at + 10, count, true);
  });
};

test.each([
  ['too_large', () => new Uint8Array(IMPORT_FILE_MAX_BYTES + 1)],
  ['too_many_rows', () => utf8(`name\n${'a\n'.repeat(IMPORT_MAX_ROWS + 1)}`)],
  ['bomb', () => zipClaiming(UNPACKED_MAX_BYTES + 1)],
  ['bomb', () => cellsAt('A1', 'XFD1048576')],
  ['not_a_sheet', () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0)],
  ['old_excel', () => Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, ...new Array<number>(600).fill(1)])],
  ['locked', encrypted],
  // LibreOffice begins its files like this: the first file in the archive is the kind, not packed.
  ['ods', () => zipSync({ mimetype: [utf8('application/vnd.oasis.opendocument.spreadsheet'), { level: 0 }] })],
  ['empty', () => new Uint8Array(0)],
  ['empty', () => utf8('\n ;;\n')],
  ['only_header', () => utf8('name\n\n')],
  ['unreadable', () => Uint8Array.of(0x50, 0x4b, 3, 4, 1, 2, 3)],
  ['unreadable', () => zipSync({ 'word/document.xml': utf8('<a/>') })],
])('[IMP1] a file is refused as %s', async (fault, bytes) => {
  expect(await faultOf(bytes())).toBe(fault);
});

describe('[IMP37] a workbook that unpacks to more than 128 MiB is refused, whatever it says of itself', () => {
  test.each<[string, () => Uint8Array<ArrayBuffer>]>([
    ['its directory says so', () => bomb({ level: 6 })],
    [
      'one of its two counts of entries says none',
      () => forged(bomb({ level: 6 }), (view, end) => view.setUint16(end + 10, 0, true)),
    ],
    ['its entries are not packed, share their bytes and claim nothing', () => bomb({ level: 0, claim: 0 })],
  ])('%s', async (_what, make) => {
    expect(await faultOf(make())).toBe('bomb');
  });

  test('one of less is read, and what an entry holds beyond the size that it claims is not kept', async () => {
    const large = () => zipSync({ 'xl/theme/theme1.xml': LARGE, ...filesOf('A1', 'A2') });
    expect(await faultOf(large())).toBe('none');
    const lying = forged(large(), (view, _end, directory) => view.setUint32(directory + 24, 10, true));
    expect(unpack(lying)['xl/theme/theme1.xml']).toHaveLength(10);
    expect(await faultOf(lying)).toBe('none');
  });
});

test('an empty workbook and one with only a header say so', async () => {
  expect(await faultOf(await workbook([['']]))).toBe('empty');
  expect(await faultOf(await workbook([['name']]))).toBe('only_header');
});

test('[IMP1] as many rows as are allowed are read, with the numbers they have in the file', async () => {
  const { rows } = await readSheet(utf8(`\nname\n\n${'a\n'.repeat(IMPORT_MAX_ROWS)}`));
  expect(rows).toHaveLength(IMPORT_MAX_ROWS);
  expect(rows[0]?.row).toBe(4);
});

test('a stray cell far down costs nothing but its row', async () => {
  const { rows } = await readSheet(cellsAt('A1', 'A2', 'B90000'));
  expect(rows.map(({ row }) => row)).toEqual([2, 90_000]);
});

test('every sheet that has rows is read, by its name', async () => {
  const pages = [
    { name: 'Notes', rows: [['']], widths: [] },
    { name: 'Aide', rows: [['Colonne'], ['x']], widths: [] },
    { name: 'Canaux', rows: [['name'], ['Nord']], widths: [] },
  ];
  const sheets = await readSheets(new Uint8Array(await (await makeWorkbook(pages)).arrayBuffer()));
  expect(sheets.map(({ name }) => name)).toEqual(['Aide', 'Canaux']);
  expect(bestSheet('channels', sheets)?.name).toBe('Canaux');
  expect(bestSheet('users', sheets.slice(0, 1))?.name).toBe('Aide');
});
