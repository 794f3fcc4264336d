import * as z from 'zod';

/**
 * A point between two entries: directly above one (`above`: what follows begins with it) or directly below it. It separates
 * older entries from newer ones, whatever is added or deleted.
 */
export interface LogCursor {
  side: 'above' | 'below';
  at: Date;
  id: string;
}

const ID = z.uuid();
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export const formatCursor = ({ side, at, id }: LogCursor): string =>
  `${side === 'above' ? 'a' : 'b'}${at.getTime().toString(36)}.${id}`;

/** @returns null when we wrote no such text */
export function parseCursor(text: string): LogCursor | null {
  const [, letter, time = '', id = ''] = /^([ab])([0-9a-z]{1,11})\.([0-9a-f-]{36})$/u.exec(text) ?? [];
  if (letter === undefined || !ID.safeParse(id).success) return null;
  const ms = Number.parseInt(time, 36);
  // PostgreSQL can't read a year of more than four digits, and no entry has such a time.
  return ms > LATEST_MS ? null : { side: letter === 'a' ? 'above' : 'below', at: new Date(ms), id };
}
