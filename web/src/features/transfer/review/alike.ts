import type { ImportField, JudgedRow } from '../import-kinds.ts';

/** A corrected cell. */
export interface Fix {
  row: number;
  field: ImportField;
  before: string;
  after: string;
}

/** Fields whose values must be unique, so that a correction never applies to other rows. */
const UNIQUE: ReadonlySet<ImportField> = new Set(['identifier', 'name']);

/**
 * Returns the other rows with the value that the corrected cell had, to offer them the same correction. None while the
 * cell still has a fault. Empty cells match for mapRight only, because other fields need a value of their own.
 */
export function rowsAlike(judged: readonly JudgedRow[], { row, field, before, after }: Fix): number[] {
  if (UNIQUE.has(field) || before === after || (before === '' && field !== 'mapRight')) return [];
  const own = judged.find((one) => one.row === row);
  if (own === undefined || own.faults.some((fault) => fault.field === field)) return [];
  return judged.filter((one) => one.row !== row && one.cells[field] === before).map((one) => one.row);
}
