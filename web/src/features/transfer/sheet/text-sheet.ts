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
export const CELL_MAX_LENGTH = 32_767;
