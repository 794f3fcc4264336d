import type { TimeFrame } from '@pressel/contract/activities';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Before which moment entries would be deleted, as the server reckons: a week has seven days of 24 hours; a month ago is
 * the same day and time (UTC), or the last day of a shorter month.
 */
export function beginningOf(timeFrame: TimeFrame, now: Date): Date {
  if (timeFrame !== '1m') return new Date(now.getTime() - (timeFrame === '1w' ? 7 : 14) * DAY_MS);
  const before = new Date(now);
  before.setUTCMonth(before.getUTCMonth() - 1);
  if (before.getUTCDate() !== now.getUTCDate()) before.setUTCDate(0);
  return before;
}
