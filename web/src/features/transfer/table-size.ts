/** The tags of rows and cells, with the place that they name: r="7" or r="C7". */
const PLACES = /<(?:\w+:)?(?:row|c)\s(?:[^>]*?\s)?r\s*=\s*["']([A-Z]*)(\d+)["']/gu;

const columnOf = (letters: string): number =>
  Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/**
 * Cells of the table that the XML of a worksheet spans, from its first to its last place. One cell in the last corner
 * that Excel has spans 17 thousand million of them.
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
