/** Tags of rows and cells, with their reference: r="7" or r="C7". */
const PLACES = /<(?:\w+:)?(?:row|c)\s(?:[^>]*?\s)?r\s*=\s*["']([A-Z]*)(\d+)["']/gu;

const columnOf = (letters: string): number =>
  Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/**
 * Returns the number of cells that a worksheet's XML spans, from A1 to its last row and column. A single cell in
 * Excel's last corner spans 17 thousand million.
 */
export function tableSizeOf(xml: Uint8Array): number {
  let rows = 0;
  let columns = 1;
  for (const [, letters = '', number] of new TextDecoder().decode(xml).matchAll(PLACES)) {
    rows = Math.max(rows, Number(number));
    columns = Math.max(columns, columnOf(letters));
  }
  return rows * columns;
}
