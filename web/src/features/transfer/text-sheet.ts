/** A sheet to write, all of whose cells are text. */
export interface TextSheet {
  name: string;
  /** The first row is the header. */
  rows: readonly (readonly string[])[];
  /** Column widths in characters. */
  widths: readonly number[];
}

/** Excel's maximum of characters in a cell. */
export const CELL_MAX_LENGTH = 32_767;
