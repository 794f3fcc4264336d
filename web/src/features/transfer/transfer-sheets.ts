import { joinChannelNames, splitChannelNames } from '@pressel/contract/import-rules';
import type { USER_FIELDS } from '@pressel/contract/transfer';
import { FIELDS, type ImportKind, type JudgedRow } from './import-kinds.ts';
import { CELL_MAX_LENGTH, type TextSheet } from './text-sheet.ts';

const WIDTHS = {
  firstName: 18,
  lastName: 18,
  identifier: 30,
  pseudo: 14,
  password: 14,
  mapRight: 10,
  canal: 40,
  name: 40,
};
const REASON_WIDTH = 60;

/** One user or channel as its row of a sheet, by field. */
export type CellsOf = Readonly<Partial<Record<(typeof FIELDS)[ImportKind][number], string>>>;

/** What users' and channels' sheets look like, in one place: import, export and model are the same. */
export function sheetOf(kind: ImportKind, name: string, rows: readonly CellsOf[]): TextSheet {
  const fields = FIELDS[kind];
  const table = rows.map((cells) =>
    fields.flatMap((field) => (field === 'canal' ? canalCells(cells) : (cells[field] ?? ''))),
  );
  const columns = Math.max(fields.length, ...table.map((cells) => cells.length));
  const header: string[] = [...fields];
  // A user of hundreds of channels fills more than the one column; 'canal' in their names tells what they are.
  for (let extra = 2; header.length < columns; extra += 1) header.push(`canal ${extra}`);
  return { name, rows: [header, ...table], widths: header.map((_, index) => WIDTHS[fields[index] ?? 'canal']) };
}

/** Channel names in as many cells as Excel needs for them: it takes 32,767 characters in one. */
function canalCells({ canal = '' }: CellsOf): string[] {
  if (canal.length <= CELL_MAX_LENGTH) return [canal];
  const cells: string[] = [];
  let names: string[] = [];
  let length = 0;
  for (const name of splitChannelNames(canal)) {
    const added = joinChannelNames([name]).length + 1;
    if (length + added > CELL_MAX_LENGTH && names.length > 0) {
      cells.push(joinChannelNames(names));
      names = [];
      length = 0;
    }
    names.push(name);
    length += added;
  }
  return [...cells, joinChannelNames(names)];
}

/** The rows that were not added, with the reason in a last column that an import passes over. */
export function rejectedSheetOf(
  kind: ImportKind,
  name: string,
  reasonHeader: string,
  rows: readonly { cells: JudgedRow['cells']; reason: string }[],
): TextSheet {
  const sheet = sheetOf(
    kind,
    name,
    rows.map(({ cells }) => cells),
  );
  const columns = sheet.widths.length;
  const [header = [], ...body] = sheet.rows;
  const padded = body.map((cells, index) => [
    ...cells,
    ...Array.from({ length: columns - cells.length }, () => ''),
    rows[index]?.reason ?? '',
  ]);
  return { ...sheet, rows: [[...header, reasonHeader], ...padded], widths: [...sheet.widths, REASON_WIDTH] };
}

export interface ModelWords {
  sheet: string;
  /** The name of the second sheet, which explains the first and is never read. */
  help: string;
  column: string;
  allowed: string;
  example: CellsOf;
  /** What each field may hold. */
  fields: Readonly<Partial<Record<(typeof USER_FIELDS)[number] | 'name', string>>>;
}

/** The template: header, one example row, and a second sheet that says what each column may hold. */
export function modelSheetsOf(kind: ImportKind, words: ModelWords): TextSheet[] {
  const help = FIELDS[kind].map((field) => [field, words.fields[field] ?? '']);
  return [
    sheetOf(kind, words.sheet, [words.example]),
    { name: words.help, rows: [[words.column, words.allowed], ...help], widths: [16, 90] },
  ];
}
