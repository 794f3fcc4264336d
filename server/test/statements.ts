import pg from 'pg';
import { vi } from 'vitest';
import { recordWithin } from '#src/features/activities/activities.repository.ts';
import type { RecordWithin } from '#src/history/change.ts';

/** Statements that processes send at intervals, for all clients together. */
const BACKGROUND = /"jobs"|^select \(extract|"servers"\."seen_at" <|into "servers"|activity_|is_due|"last_positions"/u;

/** The log's part of other statements. Features get it from `app.ts`, and their tests from here. */
export const logWithin: RecordWithin = recordWithin;

/**
 * Keeps the statements that all processes of this test send from now on, without their white space, until `stop`.
 * @param isMeant by default all but those that are sent at intervals
 */
export function watchStatements(isMeant = (text: string) => !BACKGROUND.test(text)): { texts: string[]; stop(): void } {
  const texts: string[] = [];
  const query = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text: string }];
    const text = (typeof statement === 'string' ? statement : statement.text).trim().replaceAll(/\s+/gu, ' ');
    if (isMeant(text)) texts.push(text);
    return query.apply(this, args as never) as never;
  });
  return { texts, stop: () => spy.mockRestore() };
}
