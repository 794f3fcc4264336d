import { activity, exportClock, exportedCells } from '@pressel/contract/activities';
import { type LogWorkbookWords, SHEET_COLUMNS } from './log-columns.ts';
import { createLogSheet } from './log-sheet.ts';

const WIDTHS = [20, 30, 24, 24, 24, 40, 18, 20, 26, 38, 38, 38];

export interface LogWorkbook {
  /**
   * Adds the next part of the stream: one entry as JSON a line, however the lines are cut.
   * @returns how many entries there are so far
   * @throws Error when a line is no entry
   */
  add(part: Uint8Array): number;
  /** @throws Error when the last line is no entry */
  end(): Blob;
}

/** Makes the workbook of the log from the stream of its entries. */
export function createLogWorkbook({ sheet: name, header, acts, timeZone }: LogWorkbookWords): LogWorkbook {
  const sheet = createLogSheet({ name, header, widths: WIDTHS });
  const clock = exportClock(timeZone);
  const decoder = new TextDecoder();
  let begun = '';
  let count = 0;

  const addLine = (line: string) => {
    if (line === '') return;
    const entry = activity.parse(JSON.parse(line));
    const cells: Record<(typeof SHEET_COLUMNS)[number], string> = {
      ...exportedCells(entry, clock),
      act: acts[entry.type],
    };
    sheet.addRow(SHEET_COLUMNS.map((column) => cells[column]));
    count += 1;
  };

  return {
    add(part) {
      const lines = (begun + decoder.decode(part, { stream: true })).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) addLine(line);
      return count;
    },
    end() {
      addLine(begun + decoder.decode());
      return sheet.end();
    },
  };
}
