import type { ReportedPosition } from '@pressel/contract/positions';

/**
 * When a position was recorded, ms: never later than now. Without a time of its own it gets the present time. It is then newer
 * than the last one in any case, for two may come within a millisecond (POS3).
 * @param last when the last known one was recorded, ms
 */
export function recordedAtOf(
  { recordedAt, ageMs }: Pick<ReportedPosition, 'recordedAt' | 'ageMs'>,
  now: number,
  last: number,
): number {
  if (ageMs !== undefined) return now - ageMs;
  if (recordedAt !== undefined) return Math.min(Date.parse(recordedAt), now);
  return Math.max(now, last + 1);
}
