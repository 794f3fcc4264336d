/** A sheet of text to write. */
export interface TextSheet {
  name: string;
  /** Its first row is the header. */
  rows: readonly (readonly string[])[];
  /** In characters, column by column. */
  widths: readonly number[];
}

/** The most characters that Excel takes in a cell. */
export const CELL_MAX_LENGTH = 32_767;
