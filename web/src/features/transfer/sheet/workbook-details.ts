import { format, getFormatFromId, isDateFormat, isTextFormat } from 'numfmt';
import type { SheetCell } from './sheet.ts';

/** Excel's limit of a number format; longer ones are attacks. */
const FORMAT_MAX_LENGTH = 255;
/** The most cells that merges may fill in a workbook: ten thousand rows don't have more. */
const FILLED_MAX = 200_000;

/** A range of merged cells, rows and columns from 0. */
export interface Merge {
  top: number;
  left: number;
  bottom: number;
}

/** The details of a sheet that the workbook reader leaves out. */
export interface SheetDetails {
  isHidden: boolean;
  /** Cells of numbers with a format of their own: row and column from 0, the format's code. */
  shown: readonly { row: number; column: number; code: string }[];
  /** The merges over several rows. */
  merges: readonly Merge[];
}

const NONE: SheetDetails = { isHidden: false, shown: [], merges: [] };

/** Reads details from a workbook's parts (ECMA-376 part 1 §18), by the name of a sheet. All patterns take linear time. */
export function createWorkbookDetails(parts: Readonly<Record<string, Uint8Array>>): (sheet: string) => SheetDetails {
  const files = new Map(Object.entries(parts));
  const read = (name: string): string => new TextDecoder().decode(files.get(name));
  const targets = new Map(
    tagsOf(read('xl/_rels/workbook.xml.rels'), 'Relationship').map((tag) => [tag.get('Id'), tag.get('Target') ?? '']),
  );
  const codes = formatsOf(read('xl/styles.xml'));
  const sheets = new Map(tagsOf(read('xl/workbook.xml'), 'sheet').map((tag) => [tag.get('name'), tag]));
  return (name) => {
    const tag = sheets.get(name);
    if (tag === undefined) return NONE;
    const target = targets.get(tag.get('id')) ?? '';
    const xml = read(target.startsWith('/') ? target.slice(1) : `xl/${target}`);
    const isHidden = tag.get('state') === 'hidden' || tag.get('state') === 'veryHidden';
    return { isHidden, shown: shownOf(xml, codes), merges: mergesOf(xml) };
  };
}

/** Replaces numbers by what their format shows. A number shown unchanged stays a number. */
export function showNumbers(table: SheetCell[][], shown: SheetDetails['shown']): void {
  for (const { row, column, code } of shown) {
    const cells = table[row];
    const number = cells?.[column];
    if (cells === undefined || typeof number !== 'number') continue;
    const value = shownAs(number, code);
    if (value !== '' && value !== String(number)) cells[column] = { note: 'shown', value, number };
  }
}

/** Copies the value of cells merged over several rows into the empty ones below it. */
export function fillMerges(table: SheetCell[][], merges: readonly Merge[]): void {
  let filled = 0;
  for (const { top, left, bottom } of merges) {
    const source = table[top]?.[left] ?? null;
    if (source === null) continue;
    const value = typeof source === 'object' && 'note' in source ? source.value : source;
    for (let row = top + 1; row <= Math.min(bottom, table.length - 1); row += 1) {
      const cells = table[row];
      if (cells === undefined || (cells[left] ?? null) !== null) continue;
      if (filled === FILLED_MAX) return;
      cells[left] = { note: 'merged', value };
      filled += 1;
    }
  }
}

/** Formats a number by the conventions of English, which the file's own format codes follow. */
function shownAs(number: number, code: string): string {
  try {
    return format(code, number).trim();
  } catch {
    return '';
  }
}

/** Attributes of every tag of this name, by their local names. */
function tagsOf(xml: string, name: string): Map<string, string>[] {
  return [...xml.matchAll(new RegExp(`<(?:\\w+:)?${name}\\s([^<>]*)>`, 'gu'))].map(([, text = '']) =>
    attributesOf(text),
  );
}

const ATTRIBUTE = /(?:[\w-]+:)?([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gu;
const attributesOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(ATTRIBUTE)].map(([, name = '', one, other]) => [name, unescapeXml(one ?? other ?? '')]));

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
]);

/** Text of XML without its entities. */
const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/giu,
    (whole, hex?: string, decimal?: string, name = '') => {
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (Number.isNaN(point)) return ENTITIES.get(name) ?? whole;
      return point > 0x10ffff ? whole : String.fromCodePoint(point);
    },
  );

/** Returns the code of the number format for each style of cells; null where it shows numbers unchanged, or dates. */
function formatsOf(xml: string): (string | null)[] {
  const own = new Map(tagsOf(xml, 'numFmt').map((tag) => [tag.get('numFmtId'), tag.get('formatCode') ?? '']));
  // Up to the end of the element, whatever its prefix; tags of the same name before it belong to named styles.
  const [, styles = ''] = xml.split('cellXfs', 2);
  return tagsOf(styles, 'xf').map((tag) => {
    const id = tag.get('numFmtId');
    const code = own.get(id) ?? getFormatFromId(Number(id)) ?? 'General';
    return isPlain(code) ? null : code;
  });
}

function isPlain(code: string): boolean {
  if (code.length > FORMAT_MAX_LENGTH || code.toLowerCase() === 'general') return true;
  try {
    return isDateFormat(code) || isTextFormat(code);
  } catch {
    return true;
  }
}

/** Rows and cells in their order; a row or cell without a reference follows the one before it. */
const PLACES = /<(?:\w+:)?(row|c)\b([^<>]*)>/gu;

function shownOf(xml: string, codes: readonly (string | null)[]): { row: number; column: number; code: string }[] {
  if (codes.every((code) => code === null)) return [];
  const shown: { row: number; column: number; code: string }[] = [];
  let row = -1;
  let column = -1;
  for (const [, name, text = ''] of xml.matchAll(PLACES)) {
    const tag = attributesOf(text);
    const place = tag.get('r') ?? '';
    if (name === 'row') {
      row = place === '' ? row + 1 : Number(place) - 1;
      column = -1;
      continue;
    }
    column = place === '' ? column + 1 : placeOf(place).column;
    const code = codes[Number(tag.get('s') ?? 0)] ?? null;
    if (code !== null && (tag.get('t') ?? 'n') === 'n') shown.push({ row, column, code });
  }
  return shown;
}

function mergesOf(xml: string): Merge[] {
  return tagsOf(xml, 'mergeCell').flatMap((tag) => {
    const [from = '', to = ''] = (tag.get('ref') ?? '').split(':');
    const { row: top, column: left } = placeOf(from);
    const { row: bottom } = placeOf(to);
    return top >= 0 && left >= 0 && bottom > top ? [{ top, left, bottom }] : [];
  });
}

/** 'C7' → row 6, column 2; less than 0 for anything that is no reference. */
function placeOf(reference: string): { row: number; column: number } {
  const [, letters = '', digits = '0'] = /^([A-Z]{1,3})(\d{1,7})$/u.exec(reference) ?? [];
  const column = Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { row: Number(digits) - 1, column };
}
