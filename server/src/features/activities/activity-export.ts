import { ACTIVITY_EXPORT_COLUMNS, type activity, exportClock, exportedCells } from '@pressel/contract/activities';
import type * as z from 'zod';

type Shown = z.input<typeof activity>;

/**
 * The place where spreadsheets find a formula: the beginning of a cell. In many countries a semicolon parts cells too, and our
 * quotes do not count there.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/gu;
const cell = (text: string): string => {
  const safe = text.replace(FORMULA, "'");
  return /[",;\t\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Makes lines of an export from entries, the header first where there is one. */
export interface ExportLines {
  readonly type: string;
  readonly head: string;
  line(entry: Shown): string;
}

/** CSV by RFC 4180, in UTF-8. Without the byte order mark, spreadsheets take it for another encoding. */
export function csvLines(timeZone: string): ExportLines {
  const clock = exportClock(timeZone);
  return {
    type: 'text/csv; charset=utf-8',
    head: `\ufeff${ACTIVITY_EXPORT_COLUMNS.join(',')}\r\n`,
    line(entry) {
      const cells = exportedCells(entry, clock);
      return `${ACTIVITY_EXPORT_COLUMNS.map((column) => cell(cells[column])).join(',')}\r\n`;
    },
  };
}

/** One JSON object a line, for a browser that makes a sheet of it in its own words. */
export const jsonLines: ExportLines = {
  type: 'application/x-ndjson; charset=utf-8',
  head: '',
  line: (entry) => `${JSON.stringify(entry)}\n`,
};
