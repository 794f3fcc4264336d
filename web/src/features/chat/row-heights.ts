import type { MessageRow } from './message-rows.ts';
import type { NumberRange } from './read-tracker.ts';

const LINE_PX = 21;
const HEAD_PX = 26;
const STATE_PX = 28;
const PADDING_PX = 8;
/** Characters per line of the narrow column. */
const LINE_CHARS = 44;

/**
 * Estimated height of a row that is not measured yet, in pixels. The better the estimate, the less the scroll bar
 * moves.
 */
export function estimatedHeight(row: MessageRow | undefined): number {
  if (row === undefined || row.kind === 'day' || row.kind === 'new') return 36;
  const [text, size, state] =
    row.kind === 'message' ? [row.message.textMsg, row.message.file, 0] : [row.entry.text, row.entry.image, STATE_PX];
  const image = size === null ? 0 : thumbnailBox(size.width, size.height).height + 4;
  return (row.isHead ? HEAD_PX : 0) + PADDING_PX + Math.max(LINE_PX, linesOf(text) * LINE_PX + image) + state;
}

const linesOf = (text: string): number =>
  text === '' ? 0 : text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_CHARS)), 0);

/** A row and its position, in pixels from the top of the list. */
interface Placed {
  index: number;
  start: number;
  end: number;
}

/** The messages that are at least half visible, or fill half of the screen; undefined when there are none. */
export function rangeOnScreen(
  rows: readonly MessageRow[],
  items: readonly Placed[],
  top: number,
  height: number,
): NumberRange | undefined {
  const numbers = items.flatMap(({ index, start, end }) => {
    const row = rows[index];
    const seen = Math.min(end, top + height) - Math.max(start, top);
    return row?.kind === 'message' && seen > 0 && seen * 2 >= Math.min(end - start, height) ? [row.message.number] : [];
  });
  const [from] = numbers;
  const to = numbers.at(-1);
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Facts about the reader's position. */
export interface Sight {
  /** Whether the line of new messages can be seen. */
  isLineShown: boolean;
  /** When the topmost message was written, if the heading of its day is out of sight, ms. */
  day: number | undefined;
}

/** Finds which day and new-messages lines are visible. */
export function sightOf(rows: readonly MessageRow[], items: readonly Placed[], top: number, height: number): Sight {
  const shown = items.filter(({ start, end }) => start < top + height && end > top);
  const kinds = shown.map(({ index }) => rows[index]?.kind);
  const first = shown.map(({ index }) => rows[index]).find((row) => row?.kind === 'message');
  const isHeaded = kinds.indexOf('day') !== -1 && kinds.indexOf('day') < kinds.indexOf('message');
  return {
    isLineShown: kinds.includes('new'),
    day: first?.kind === 'message' && !isHeaded ? Date.parse(first.message.createdAt) : undefined,
  };
}

/** Maximum size of a thumbnail, in pixels. */
const BOX_PX = 260;
const LEAST_PX = 44;

/** The size of a thumbnail in the list, known before it is loaded. Extreme shapes are cropped. */
export function thumbnailBox(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, BOX_PX / width, BOX_PX / height);
  const within = (px: number) => Math.max(LEAST_PX, Math.round(px * scale));
  return { width: within(width), height: within(height) };
}
