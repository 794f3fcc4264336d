import type { z } from '@pressel/contract/zod';

export type NameFault = 'required' | 'tooLong';

/** Returns the fault of a name as typed, by the contract's schema; undefined if the name is valid. */
export function nameFaultOf(schema: z.ZodType, text: string): NameFault | undefined {
  const issue = schema.safeParse(text).error?.issues[0];
  if (issue === undefined) return undefined;
  return issue.message === 'required' ? 'required' : 'tooLong';
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns the time until a moment in words such as 'in 7 hours', rounded up to at least a minute. */
export function inWords(ms: number, language: string): string {
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  const up = (unitMs: number) => Math.max(1, Math.ceil(ms / unitMs));
  if (ms > 2 * DAY_MS) return words.format(up(DAY_MS), 'day');
  return ms > 2 * HOUR_MS ? words.format(up(HOUR_MS), 'hour') : words.format(up(MINUTE_MS), 'minute');
}
