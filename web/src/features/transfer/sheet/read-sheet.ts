import { IMPORT_FILE_MAX_BYTES } from '@pressel/contract/limits';
import readWorkbook from 'read-excel-file/universal';
import { parseCsv } from './csv.ts';
import { AS_FOUND, type NamedSheet, type ReadOptions, type SheetCell, SheetError, toSheet } from './sheet.ts';
import { createWorkbookDetails, fillMerges, showNumbers } from './workbook-details.ts';
import { UNPACKED_MAX_BYTES, unpack } from './zip-synchronous.ts';

/** Tags of rows and cells, with their reference: r="7" or r="C7". */
const PLACES = /<(?:\w+:)?(?:row|c)\s(?:[^>]*?\s)?r\s*=\s*["']([A-Z]*)(\d+)["']/gu;

const columnOf = (letters: string): number =>
  Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/**
 * Returns the number of cells that a worksheet's XML spans, from A1 to its last row and column. A single cell in
 * Excel's last corner spans 17 thousand million.
 */
function tableSizeOf(xml: Uint8Array): number {
  let rows = 0;
  let columns = 1;
  for (const [, letters = '', number] of new TextDecoder().decode(xml).matchAll(PLACES)) {
    rows = Math.max(rows, Number(number));
    columns = Math.max(columns, columnOf(letters));
  }
  return rows * columns;
}

/** Memory per cell: the reader allocates all cells between the first and the last, including those missing in the file. */
const CELL_BYTES = 8;

/** The parts of a workbook that describe its cells, besides their texts. */
const DETAILED = /^xl\/(?:worksheets\/[^/]+|workbook|styles|_rels\/workbook)\.xml(?:\.rels)?$/u;

const ZIP = [0x50, 0x4b];
/** Compound File Binary: old .xls workbooks, and encrypted .xlsx ones. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0];

const startsWith = (bytes: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

/**
 * Reads a workbook (its sheets with rows, at least one) or a CSV file. Detects the type by content, not by file name.
 * Throws SheetError.
 */
export async function readSheets(
  bytes: Uint8Array<ArrayBuffer>,
  options: ReadOptions = AS_FOUND,
): Promise<NamedSheet[]> {
  if (bytes.length > IMPORT_FILE_MAX_BYTES) throw new SheetError('too_large');
  if (bytes.length === 0) throw new SheetError('empty');
  if (startsWith(bytes, COMPOUND)) throw new SheetError(isEncrypted(bytes) ? 'locked' : 'old_excel');
  if (isOpenDocument(bytes)) throw new SheetError('ods');
  if (startsWith(bytes, ZIP)) return tablesOf(await readXlsx(bytes), options);
  if (isBinary(bytes, options)) throw new SheetError('not_a_sheet');
  return [readText(bytes, options)];
}

function readText(bytes: Uint8Array, options: ReadOptions): NamedSheet {
  const { table, lines, strayQuote } = parseCsv(bytes, options);
  const sheet = toSheet(table, options.header);
  return { name: '', sheet, text: strayQuote === undefined ? { lines } : { lines, strayQuote } };
}

interface Page {
  name: string;
  table: SheetCell[][];
  isHidden: boolean;
}

/** Skips sheets without rows; if none has any, throws the first one's error. */
function tablesOf(pages: readonly Page[], { header }: ReadOptions): NamedSheet[] {
  const sheets: NamedSheet[] = [];
  let fault: SheetError | undefined;
  for (const { name, table, isHidden } of pages) {
    try {
      sheets.push({ name, sheet: toSheet(table, header), ...(isHidden ? { isHidden } : {}) });
    } catch (error) {
      if (!(error instanceof SheetError)) throw error;
      fault ??= error;
      // Don't silently import another sheet instead.
      if (error.fault === 'too_many_rows' && sheets.length === 0) throw error;
    }
  }
  if (sheets.length === 0) throw fault ?? new SheetError('empty');
  return sheets;
}

async function readXlsx(bytes: Uint8Array<ArrayBuffer>): Promise<Page[]> {
  try {
    const parts = unpack(bytes, (name) => DETAILED.test(name));
    const worksheets = Object.entries(parts).filter(([name]) => name.startsWith('xl/worksheets/'));
    const cells = worksheets.reduce((sum, [, sheet]) => sum + tableSizeOf(sheet), 0);
    if (cells * CELL_BYTES > UNPACKED_MAX_BYTES) throw new SheetError('bomb');
    const pages = await readWorkbook(new Blob([bytes]), { trim: false });
    const details = createWorkbookDetails(parts);
    return pages.map(({ sheet, data }) => {
      const table = data.map((row) => row.map(cellOf));
      const { isHidden, shown, merges } = details(sheet);
      showNumbers(table, shown);
      fillMerges(table, merges);
      return { name: sheet, table, isHidden };
    });
  } catch (cause) {
    if (cause instanceof SheetError) throw cause;
    // Any other zip archive ends here, such as a .docx or a damaged workbook.
    throw new SheetError('unreadable', { cause });
  }
}

function cellOf(value: unknown): SheetCell {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

/** A LibreOffice spreadsheet names its type at the beginning of its archive (OpenDocument 1.3 part 2 §3.3). */
const isOpenDocument = (bytes: Uint8Array): boolean =>
  new TextDecoder('latin1').decode(bytes.subarray(0, 100)).includes('application/vnd.oasis.opendocument.');

/** An encrypted workbook is stored in a stream of this name, encoded in UTF-16. */
function isEncrypted(bytes: Uint8Array): boolean {
  const name = Array.from('EncryptedPackage', (letter) => [letter.charCodeAt(0), 0]).flat();
  for (let at = bytes.indexOf(0x45); at !== -1; at = bytes.indexOf(0x45, at + 1)) {
    if (name.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}

/** Whether the file isn't text: it has NUL bytes, and neither its byte order mark nor the reader says UTF-16. */
function isBinary(bytes: Uint8Array, { encoding }: ReadOptions): boolean {
  const isUtf16 = startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]) || encoding.startsWith('utf-16');
  return !isUtf16 && bytes.subarray(0, 65_536).includes(0);
}
