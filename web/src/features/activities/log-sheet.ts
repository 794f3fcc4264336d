import { activity, exportClock, exportedCells } from '@pressel/contract/activities';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate/browser';
import { cellText } from '#src/shared/sheets/cell-text.ts';
import { type LogWorkbookWords, SHEET_COLUMNS } from './log-columns.ts';

/** Excel's maximum of characters in a cell and of rows in a sheet. */
const CELL_MAX_LENGTH = 32_767;
const SHEET_MAX_ROWS = 1_048_576;
/** Text is packed in parts of about this many characters. */
const PART_LENGTH = 65_536;

export interface LogSheet {
  addRow(cells: readonly string[]): void;
  /** Finishes the workbook. */
  end(): Blob;
}

export interface LogSheetOptions {
  /** The first sheet's name; further ones get a number. */
  name: string;
  header: readonly string[];
  /** The columns' widths, in characters. */
  widths: readonly number[];
  maxRows?: number;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Two formats, both text: plain, and bold for the header. */
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => cellText(text).replace(/[&<>"]/gu, (sign) => ENTITIES[sign] ?? sign);

function cell(text: string, style: 0 | 1): string {
  // Without it the cells after it would move, because cells have no addresses here.
  if (text === '') return `<c s="${style}"/>`;
  const fits = text.length <= CELL_MAX_LENGTH ? text : text.slice(0, CELL_MAX_LENGTH);
  return `<c s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(fits)}</t></is></c>`;
}

/**
 * An .xlsx workbook that is packed while rows come, because a log may be long. A writer that keeps all cells took 25 s
 * and 670 MB for 100,000 entries. All cells are text (see transfer/workbook.ts).
 */
export function createLogSheet({ name, header, widths, maxRows = SHEET_MAX_ROWS }: LogSheetOptions): LogSheet {
  const packed: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    packed.push(part);
  });
  const encoder = new TextEncoder();
  let sheets = 0;
  let rows = 0;
  let waiting = '';
  let file: ZipDeflate | undefined;

  const flush = (isLast: boolean) => {
    file?.push(encoder.encode(waiting), isLast);
    waiting = '';
  };
  const put = (text: string) => {
    waiting += text;
    if (waiting.length >= PART_LENGTH) flush(false);
  };
  const closeSheet = () => {
    put('</sheetData></worksheet>');
    flush(true);
  };
  const openSheet = () => {
    sheets += 1;
    rows = 0;
    file = new ZipDeflate(`xl/worksheets/sheet${sheets}.xml`, { level: 6 });
    zip.add(file);
    const columns = widths.map(
      (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
    );
    put(
      `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`,
    );
    addRow(header, 1);
  };
  const addRow = (cells: readonly string[], style: 0 | 1) => {
    rows += 1;
    put(`<row>${cells.map((text) => cell(text, style)).join('')}</row>`);
  };
  const store = (path: string, text: string) => {
    const stored = new ZipPassThrough(path);
    zip.add(stored);
    stored.push(encoder.encode(text), true);
  };

  openSheet();
  return {
    addRow(cells) {
      if (rows === maxRows) {
        closeSheet();
        openSheet();
      }
      addRow(cells, 0);
    },
    end() {
      closeSheet();
      const all = Array.from({ length: sheets }, (_, index) => index + 1);
      store('xl/styles.xml', STYLES);
      store(
        'xl/workbook.xml',
        `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${all.map((n) => `<sheet name="${escaped(n === 1 ? name : `${name} ${n}`)}" sheetId="${n}" r:id="rId${n}"/>`).join('')}</sheets></workbook>`,
      );
      store(
        'xl/_rels/workbook.xml.rels',
        `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.map((n) => `<Relationship Id="rId${n}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"/>`).join('')}<Relationship Id="rId${sheets + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
      );
      store(
        '_rels/.rels',
        `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
      );
      store(
        '[Content_Types].xml',
        `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${all.map((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`).join('')}</Types>`,
      );
      zip.end();
      return new Blob(packed, { type: `${TYPE}.sheet` });
    },
  };
}

const WIDTHS = [20, 30, 24, 24, 24, 40, 18, 20, 26, 38, 38, 38];

export interface LogWorkbook {
  /**
   * Adds the next part of the stream: one entry as JSON a line, however the lines are cut.
   * @returns how many entries there are so far
   * @throws Error when a line is no entry
   */
  add(part: Uint8Array): number;
  /** @throws Error when the last line is no entry */
  end(): Blob;
}

/** Makes the workbook of the log from the stream of its entries. */
export function createLogWorkbook({ sheet: name, header, acts, timeZone }: LogWorkbookWords): LogWorkbook {
  const sheet = createLogSheet({ name, header, widths: WIDTHS });
  const clock = exportClock(timeZone);
  const decoder = new TextDecoder();
  let begun = '';
  let count = 0;

  const addLine = (line: string) => {
    if (line === '') return;
    const entry = activity().parse(JSON.parse(line));
    const cells: Record<(typeof SHEET_COLUMNS)[number], string> = {
      ...exportedCells(entry, clock),
      act: acts[entry.type],
    };
    sheet.addRow(SHEET_COLUMNS.map((column) => cells[column]));
    count += 1;
  };

  return {
    add(part) {
      const lines = (begun + decoder.decode(part, { stream: true })).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) addLine(line);
      return count;
    },
    end() {
      addLine(begun + decoder.decode());
      return sheet.end();
    },
  };
}
