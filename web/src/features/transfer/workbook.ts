import writeXlsx, { type Row, type Sheet as XlsxSheet } from 'write-excel-file/universal';
import type { TextSheet } from './text-sheet.ts';

/** What XML cannot hold or the writer would drop, and text that would be read as the escape of such a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
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
 * An .xlsx workbook in which every cell is text, in the text format: nothing that begins with = + - @ becomes a formula,
 * and zeros in front stay, also when somebody edits the cell in Excel.
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
