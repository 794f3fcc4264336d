import { bestSheet, type ColumnMapping, keepEdits, matchColumns } from '../sheet/columns.ts';
import type { ImportKind, ImportRow, JudgedRow } from '../sheet/import-kinds.ts';
import type { NamedSheet, ReadOptions } from '../sheet/sheet.ts';

/** The file of an import, as it was read. */
export interface Source {
  /** The id of this file as it was chosen, and of its draft. */
  id: string;
  file: Blob;
  fileName: string;
  options: ReadOptions;
  /** All sheets of the file, and the selected one. */
  sheets: readonly NamedSheet[];
  chosen: NamedSheet;
  mapping: ColumnMapping;
  /** Questions about the file that were answered: these parts stay as they were read. */
  settled: { quotes?: boolean | undefined; stray?: boolean | undefined; kind?: boolean | undefined };
  /** The import as it was sent last, while nobody knows whether the server has it. */
  sent?: Sent | undefined;
}

export interface Sent {
  importId: string;
  rows: readonly ImportRow[];
  judged: readonly JudgedRow[];
  withAdmins: boolean;
}

export interface Reviewed extends Source {
  rows: readonly ImportRow[];
  judged: readonly JudgedRow[];
}

/** A file that was just read; undefined when it has no sheet. */
export function sourceOf(
  kind: ImportKind,
  read: Pick<Source, 'id' | 'file' | 'fileName' | 'options' | 'sheets'>,
): Source | undefined {
  const chosen = bestSheet(kind, read.sheets);
  return chosen && { ...read, chosen, mapping: matchColumns(kind, chosen.sheet.headers), settled: {} };
}

/** The same file with another sheet selected. */
export function withSheet(kind: ImportKind, source: Source, name: string): Source {
  const chosen = source.sheets.find((one) => one.name === name) ?? source.chosen;
  return { ...source, chosen, mapping: matchColumns(kind, chosen.sheet.headers), settled: {} };
}

/** The same file read in another way. Columns that were chosen by hand stay while there are as many as before. */
export function readAgain(
  kind: ImportKind,
  source: Source,
  options: ReadOptions,
  sheets: readonly NamedSheet[],
): Source | undefined {
  const chosen = sheets.find(({ name }) => name === source.chosen.name) ?? bestSheet(kind, sheets);
  if (chosen === undefined) return undefined;
  const { headers } = chosen.sheet;
  const mapping = headers.length === source.mapping.length ? source.mapping : matchColumns(kind, headers);
  return { ...source, options, sheets, chosen, mapping, settled: {} };
}

/** The rows of `next`, with the edits and removals made in the rows of `source`. */
export const rowsAfter = (source: Source, edited: readonly ImportRow[], next: Source): ImportRow[] =>
  keepEdits({ sheet: source.chosen.sheet, mapping: source.mapping }, edited, {
    sheet: next.chosen.sheet,
    mapping: next.mapping,
  });
