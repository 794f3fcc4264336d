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

/** The cells of a user or channel, by field. */
export type CellsOf = Readonly<Partial<Record<(typeof FIELDS)[ImportKind][number], string>>>;

/** Builds a sheet of users or channels; export and template use the layout that the import reads. */
export function sheetOf(kind: ImportKind, name: string, rows: readonly CellsOf[]): TextSheet {
  const fields = FIELDS[kind];
  const table = rows.map((cells) =>
    fields.flatMap((field) => (field === 'canal' ? canalCells(cells) : (cells[field] ?? ''))),
  );
  const columns = Math.max(fields.length, ...table.map((cells) => cells.length));
  const header: string[] = [...fields];
  // Channels that don't fit one cell continue in further columns, which the import recognises by 'canal'.
  for (let extra = 2; header.length < columns; extra += 1) header.push(`canal ${extra}`);
  return { name, rows: [header, ...table], widths: header.map((_, index) => WIDTHS[fields[index] ?? 'canal']) };
}

/** Splits channel names over cells of at most 32,767 characters, Excel's limit. */
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

/** The rows that were not imported, with the reason in a last column, which an import ignores. */
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
  /** Name of the second sheet, which explains the first and is not imported. */
  help: string;
  column: string;
  allowed: string;
  example: CellsOf;
  /** Allowed values of each field. */
  fields: Readonly<Partial<Record<(typeof USER_FIELDS)[number] | 'name', string>>>;
}

/** The template: header, an example row, and a second sheet that explains the columns. */
export function modelSheetsOf(kind: ImportKind, words: ModelWords): TextSheet[] {
  const help = FIELDS[kind].map((field) => [field, words.fields[field] ?? '']);
  return [
    sheetOf(kind, words.sheet, [words.example]),
    { name: words.help, rows: [[words.column, words.allowed], ...help], widths: [16, 90] },
  ];
}
