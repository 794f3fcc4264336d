import { IMPORT_FILE_MAX_BYTES } from '@pressel/contract/limits';
import { unzipSync } from 'fflate/browser';
import readWorkbook from 'read-excel-file/universal';
import { parseCsv } from './csv.ts';
import { type NamedSheet, type SheetCell, SheetError, toSheet } from './sheet.ts';
import { tableSizeOf } from './table-size.ts';
import { unpackedSizeOf } from './zip-size.ts';

/** Ten times the unpacked size of ten thousand full rows. Larger files are attacks, or not lists of users. */
export const UNPACKED_MAX_BYTES = 134_217_728;
/** Memory per cell: the reader allocates every cell between the first and the last, also those missing in the file. */
const CELL_BYTES = 8;

const ZIP = [0x50, 0x4b];
/** Compound File Binary: old .xls workbooks, and encrypted .xlsx ones. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0];

const startsWith = (bytes: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

/**
 * Reads a workbook (its sheets with rows, at least one) or a CSV file. Detects the type by content, not by file name.
 * Throws SheetError.
 */
export async function readSheets(bytes: Uint8Array<ArrayBuffer>): Promise<NamedSheet[]> {
  if (bytes.length > IMPORT_FILE_MAX_BYTES) throw new SheetError('too_large');
  if (bytes.length === 0) throw new SheetError('empty');
  if (startsWith(bytes, COMPOUND)) throw new SheetError(isEncrypted(bytes) ? 'locked' : 'old_excel');
  if (startsWith(bytes, ZIP)) return tablesOf(await readXlsx(bytes));
  if (isBinary(bytes)) throw new SheetError('not_a_sheet');
  return [{ name: '', sheet: toSheet(parseCsv(bytes)) }];
}

interface Page {
  name: string;
  table: SheetCell[][];
}

/** Skips sheets without rows; if none has any, throws the first one's error. */
function tablesOf(pages: readonly Page[]): NamedSheet[] {
  const sheets: NamedSheet[] = [];
  let fault: SheetError | undefined;
  for (const { name, table } of pages) {
    try {
      sheets.push({ name, sheet: toSheet(table) });
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
  const unpacked = unpackedSizeOf(bytes);
  if (unpacked === null) throw new SheetError('unreadable');
  if (unpacked > UNPACKED_MAX_BYTES) throw new SheetError('bomb');
  try {
    const sheets = unzipSync(bytes, { filter: ({ name }) => /^xl\/worksheets\/[^/]+\.xml$/u.test(name) });
    const cells = Object.values(sheets).reduce((sum, sheet) => sum + tableSizeOf(sheet), 0);
    if (cells * CELL_BYTES > UNPACKED_MAX_BYTES) throw new SheetError('bomb');
    const pages = await readWorkbook(new Blob([bytes]), { trim: false });
    return pages.map(({ sheet, data }) => ({ name: sheet, table: data.map((row) => row.map(cellOf)) }));
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

/** An encrypted workbook is stored in a stream of this name, encoded in UTF-16. */
function isEncrypted(bytes: Uint8Array): boolean {
  const name = Array.from('EncryptedPackage', (letter) => [letter.charCodeAt(0), 0]).flat();
  for (let at = bytes.indexOf(0x45); at !== -1; at = bytes.indexOf(0x45, at + 1)) {
    if (name.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}

/** Whether the file has NUL bytes and no UTF-16 byte order mark, so is not text. */
function isBinary(bytes: Uint8Array): boolean {
  const isUtf16 = startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]);
  return !isUtf16 && bytes.subarray(0, 65_536).includes(0);
}
