import writeXlsx, { type Row, type Sheet as XlsxSheet } from 'write-excel-file/universal';
import { cellText } from '#src/shared/sheets/cell-text.ts';
import type { TextSheet } from './text-sheet.ts';
import { formOf } from './workbook-form.ts';

/**
 * An .xlsx workbook whose cells are all strings in text format. Values starting with = + - @ never become formulas, and
 * leading zeros are kept, also when a cell is edited in Excel.
 */
export async function makeWorkbook(sheets: readonly TextSheet[]): Promise<Blob> {
  const cellOf = (text: string) => ({ value: cellText(text), type: String, format: '@' });
  const pages = sheets.map(({ name, rows, widths }): XlsxSheet<Blob> => {
    const [header = [], ...body] = rows;
    const data: Row[] = [
      header.map((text) => ({ ...cellOf(text), fontWeight: 'bold' })),
      ...body.map((row) => row.map((text) => (text === '' ? null : cellOf(text)))),
    ];
    return { sheet: name, data, columns: widths.map((width) => ({ width })), stickyRowsCount: 1 };
  });
  return writeXlsx(pages, { features: [formOf(sheets)] }).toBlob();
}
