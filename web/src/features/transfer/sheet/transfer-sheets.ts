import { joinChannelNames, splitChannelNames } from '@pressel/contract/import-rules';
import { ALL_FIELDS, FIELDS, type ImportField, type ImportKind, type JudgedRow } from './import-kinds.ts';

const WIDTHS = {
  firstName: 18,
  lastName: 18,
  identifier: 30,
  pseudo: 14,
  password: 14,
  mapRight: 10,
  canal: 40,
  phoneNumber: 18,
  role: 10,
  name: 40,
};
const REASON_WIDTH = 60;

/** The cells of a user or channel, by field. */
export type CellsOf = Readonly<Partial<Record<ImportField, string>>>;

/** The titles that aren't the names of their fields. */
const TITLES: Partial<Record<ImportField, string>> = { phoneNumber: 'phone' };

/**
 * Builds a sheet of users or channels; export and template use the layout that the import reads. `fields`: by default
 * those of the specification.
 */
export function sheetOf(
  kind: ImportKind,
  name: string,
  rows: readonly CellsOf[],
  fields: readonly ImportField[] = FIELDS[kind],
): TextSheet {
  const canals = rows.map(canalCells);
  const table = rows.map((cells, index) => [
    ...fields.map((field) => {
      if (field === 'canal') return canals[index]?.[0] ?? '';
      // The import splits names at semicolons.
      return field === 'name' ? joinChannelNames([cells.name ?? '']) : (cells[field] ?? '');
    }),
    ...(canals[index]?.slice(1) ?? []),
  ]);
  const columns = Math.max(fields.length, ...table.map((cells) => cells.length));
  const header: string[] = fields.map((field) => TITLES[field] ?? field);
  // Channels that don't fit one cell continue in further columns, which the import recognises by 'canal'.
  for (let extra = 2; header.length < columns; extra += 1) header.push(`canal ${extra}`);
  return { name, rows: [header, ...table], widths: header.map((_, index) => WIDTHS[fields[index] ?? 'canal']) };
}

/** Returns the fields of these rows: those of the specification, or all if a row has any other. */
const fieldsIn = (kind: ImportKind, rows: readonly CellsOf[]): readonly ImportField[] =>
  rows.some(({ phoneNumber = '', role = '' }) => phoneNumber !== '' || role !== '') ? ALL_FIELDS[kind] : FIELDS[kind];

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
  const cellsOf = rows.map(({ cells }) => cells);
  const sheet = sheetOf(kind, name, cellsOf, fieldsIn(kind, cellsOf));
  const columns = sheet.widths.length;
  const [header = [], ...body] = sheet.rows;
  const padded = body.map((cells, index) => [
    ...cells,
    ...Array.from({ length: columns - cells.length }, () => ''),
    rows[index]?.reason ?? '',
  ]);
  return { ...sheet, rows: [[...header, reasonHeader], ...padded], widths: [...sheet.widths, REASON_WIDTH] };
}

const PASSWORD_FIELDS = ['firstName', 'lastName', 'identifier', 'password'] as const;

/** Accounts with the passwords that were generated for them. */
export const passwordSheetOf = (name: string, accounts: readonly CellsOf[]): TextSheet =>
  sheetOf('users', name, accounts, PASSWORD_FIELDS);

export interface ModelWords {
  sheet: string;
  /** Name of the second sheet, which explains the first and is not imported. */
  help: string;
  column: string;
  allowed: string;
  example: CellsOf;
  /** The values offered for the access to the map. */
  mapRights: readonly string[];
  /** Allowed values of each field. */
  fields: CellsOf;
}

/** The template: header, an example row, and a second sheet that explains the columns. */
export function modelSheetsOf(kind: ImportKind, words: ModelWords): TextSheet[] {
  const help = FIELDS[kind].map((field) => [field, words.fields[field] ?? '']);
  const offers = FIELDS[kind].flatMap((field, column) =>
    field === 'mapRight' ? [{ column, values: words.mapRights }] : [],
  );
  return [
    { ...sheetOf(kind, words.sheet, [words.example]), form: { offers } },
    { name: words.help, rows: [[words.column, words.allowed], ...help], widths: [16, 90] },
  ];
}

/** A sheet to write, all of whose cells are text. */
export interface TextSheet {
  name: string;
  /** The first row is the header. */
  rows: readonly (readonly string[])[];
  /** Column widths in characters. */
  widths: readonly number[];
  /** For a sheet to be filled in by hand: its empty cells are text too, and some columns offer values. */
  form?: { offers: readonly Offer[] };
}

/** The values offered in a column, from 0; other values can be typed. */
export interface Offer {
  column: number;
  values: readonly string[];
}

/** Excel's maximum of characters in a cell. */
const CELL_MAX_LENGTH = 32_767;
