import type { MessageRow } from './message-rows.ts';

/** Whether the arrow keys stop at a row: at messages, not at the lines between them. */
const isStop = (row: MessageRow | undefined): boolean => row?.kind === 'message' || row?.kind === 'pending';

/** The stop nearest to an index: there or after it, else before; -1 if there is none. */
export function stopNear(rows: readonly MessageRow[], index: number): number {
  const after = rows.findIndex((row, at) => at >= index && isStop(row));
  return after === -1 ? rows.findLastIndex(isStop) : after;
}

/** The last stop of those from `from` to `to`, else the one nearest to `to`. */
export function stopAmong(rows: readonly MessageRow[], from: number, to: number): number {
  const last = rows.findLastIndex((row, at) => at >= from && at <= to && isStop(row));
  return last === -1 ? stopNear(rows, to) : last;
}

/** The row to which a key leads from a stop; undefined for keys without a meaning here. The keys stop at either end. */
export function stopByKey(rows: readonly MessageRow[], key: string, from: number): number | undefined {
  const found = (index: number) => (index === -1 ? from : index);
  switch (key) {
    case 'ArrowUp':
      return found(rows.findLastIndex((row, at) => at < from && isStop(row)));
    case 'ArrowDown':
      return found(rows.findIndex((row, at) => at > from && isStop(row)));
    case 'Home':
      return found(rows.findIndex(isStop));
    case 'End':
      return found(rows.findLastIndex(isStop));
    default:
      return undefined;
  }
}

/**
 * The row whose sender's name covers a row: itself, or the head of its group; undefined if the window doesn't hold the
 * head.
 */
export function headOf(rows: readonly MessageRow[], index: number): MessageRow | undefined {
  // Makes no copy: it is called for each drawn row, on all held rows.
  for (let at = index; at >= 0; at -= 1) {
    const row = rows[at];
    if (row !== undefined && 'isHead' in row && row.isHead) return row;
  }
  return undefined;
}
