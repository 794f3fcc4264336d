import { activity } from '@pressel/contract/activities';
import { type LogWorkbookWords, SHEET_COLUMNS } from './log-columns.ts';
import { createLogSheet } from './log-sheet.ts';

const WIDTHS = [20, 30, 24, 24, 24, 40, 18, 20, 26, 38, 38, 38];

export interface LogWorkbook {
  /**
   * The next part of the stream: one entry as JSON a line, however the lines are cut.
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
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const decoder = new TextDecoder();
  let begun = '';
  let count = 0;

  const addLine = (line: string) => {
    if (line === '') return;
    const entry = activity.parse(JSON.parse(line));
    const details = entry.details === null || Object.keys(entry.details).length === 0 ? '' : entry.details;
    const cells: Record<(typeof SHEET_COLUMNS)[number], string> = {
      localTime: local.format(new Date(entry.createdAt)),
      act: acts[entry.type],
      user: entry.user?.display_name ?? '',
      target: entry.target?.display_name ?? '',
      channel: entry.channel?.name ?? '',
      details: details === '' ? '' : JSON.stringify(details),
      address: entry.address ?? '',
      type: entry.type,
      createdAt: entry.createdAt,
      userId: entry.user?.id ?? '',
      targetId: entry.target?.id ?? '',
      channelId: entry.channel?.id ?? '',
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
