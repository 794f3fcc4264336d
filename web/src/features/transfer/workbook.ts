import writeXlsx, { type Row, type Sheet as XlsxSheet } from 'write-excel-file/universal';
import type { TextSheet } from './text-sheet.ts';

/** Characters that XML can't contain or the writer would drop, and text that looks like their escape sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const NOT_PLAIN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]|\p{Noncharacter_Code_Point}|_(?=x[0-9A-Fa-f]{4}_)/gu;

/** Text as workbooks write it (ECMA-376 part 1 §22.9.2.19, ST_Xstring). */
const escapeText = (text: string): string =>
  text.replace(NOT_PLAIN, (found) =>
    Array.from(
      { length: found.length },
      (_, at) => `_x${found.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}_`,
    ).join(''),
  );

/**
 * An .xlsx workbook whose cells are all strings in text format: values starting with = + - @ never become formulas, and
 * leading zeros are kept, also when a cell is edited in Excel.
 */
export async function makeWorkbook(sheets: readonly TextSheet[]): Promise<Blob> {
  const cellOf = (text: string) => ({ value: escapeText(text), type: String, format: '@' });
  const pages = sheets.map(({ name, rows, widths }): XlsxSheet<Blob> => {
    const [header = [], ...body] = rows;
    const data: Row[] = [
      header.map((text) => ({ ...cellOf(text), fontWeight: 'bold' })),
      ...body.map((row) => row.map((text) => (text === '' ? null : cellOf(text)))),
    ];
    return { sheet: name, data, columns: widths.map((width) => ({ width })), stickyRowsCount: 1 };
  });
  return writeXlsx(pages).toBlob();
}
