/** The part of the library that tests use, because it has no types of its own. */
declare module 'xlsx-populate' {
  interface Cell {
    value(value: string | number | boolean | Date | undefined): Cell;
    style(name: string, value: string): Cell;
  }
  interface Column {
    style(name: string): unknown;
  }
  interface Range {
    merged(merged: boolean): Range;
    value(): unknown[][];
    dataValidation(): unknown;
  }
  export interface Sheet {
    cell(row: number, column: number): Cell;
    cell(reference: string): Cell;
    range(reference: string): Range;
    range(top: number, left: number, bottom: number, right: number): Range;
    column(number: number): Column;
    usedRange(): Range | undefined;
    name(name: string): Sheet;
    hidden(hidden: boolean | 'very'): Sheet;
  }
  interface Workbook {
    sheet(index: number): Sheet;
    addSheet(name: string): Sheet;
    outputAsync(type: 'uint8array'): Promise<Uint8Array>;
  }
  const library: {
    fromBlankAsync(): Promise<Workbook>;
    fromDataAsync(bytes: Uint8Array): Promise<Workbook>;
  };
  // biome-ignore lint/style/noDefaultExport: the library has no other
  export default library;
}
