import type { ImportField, JudgedRow } from './import-kinds.ts';

/** A cell that was typed over. */
export interface Fix {
  row: number;
  field: ImportField;
  before: string;
  after: string;
}

/** One row's alone: no two rows may share it. */
const UNIQUE: ReadonlySet<ImportField> = new Set(['identifier', 'name']);

/**
 * The other rows that hold what the corrected cell held, for the same correction; none while the cell is still at
 * fault. Empty cells are alike in the map's right only: people without a last name have no last name in common.
 */
export function rowsAlike(judged: readonly JudgedRow[], { row, field, before, after }: Fix): number[] {
  if (UNIQUE.has(field) || before === after || (before === '' && field !== 'mapRight')) return [];
  const own = judged.find((one) => one.row === row);
  if (own === undefined || own.faults.some((fault) => fault.field === field)) return [];
  return judged.filter((one) => one.row !== row && one.cells[field] === before).map((one) => one.row);
}
