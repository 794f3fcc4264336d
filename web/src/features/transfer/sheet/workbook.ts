import { IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import type { Feature } from 'write-excel-file/universal';
import writeXlsx, { type Row, type Sheet as XlsxSheet } from 'write-excel-file/universal';
import { cellText } from '#src/shared/sheets/cell-text.ts';
import type { Offer, TextSheet } from './transfer-sheets.ts';

/** The elements that follow the offers in a sheet (ECMA-376 part 1 §18.3.1.99). */
const AFTER_OFFERS =
  /<(?:hyperlinks|printOptions|pageMargins|pageSetup|headerFooter|drawing|legacyDrawing|tableParts|extLst)\b|<\/worksheet>/u;
/** The style of a cell in the second row, the first below the header. */
const TEXT_STYLE = /<c r="[A-Z]+2"[^<>]* s="(\d+)"/u;

/** Gives forms the text format for their empty columns, and the values to choose from. */
function formOf(sheets: readonly TextSheet[]): Feature<Blob> {
  return {
    files: {
      transform: {
        'xl/worksheets/sheet{id}.xml': {
          transform: (xml, _options, { sheetIndex }) => {
            const form = sheets[sheetIndex]?.form;
            if (form === undefined) return xml;
            const style = TEXT_STYLE.exec(xml)?.[1];
            const columns = style === undefined ? xml : xml.replaceAll('<col ', `<col style="${style}" `);
            return columns.replace(AFTER_OFFERS, (next) => offersXml(form.offers) + next);
          },
        },
      },
    },
  };
}

function offersXml(offers: readonly Offer[]): string {
  if (offers.length === 0) return '';
  const all = offers.map(({ column, values }) => {
    const letter = String.fromCharCode(65 + column);
    const place = `${letter}2:${letter}${IMPORT_MAX_ROWS + 1}`;
    return `<dataValidation type="list" allowBlank="1" showErrorMessage="0" sqref="${place}"><formula1>"${values.join(',')}"</formula1></dataValidation>`;
  });
  return `<dataValidations count="${offers.length}">${all.join('')}</dataValidations>`;
}

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
