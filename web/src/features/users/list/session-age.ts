const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Words the time since then, such as '7 hours ago', rounded down: 'now' in the first minute. */
export function sessionAge(ms: number, language: string): string {
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (ms < MINUTE_MS) return words.format(0, 'second');
  if (ms < HOUR_MS) return words.format(-Math.floor(ms / MINUTE_MS), 'minute');
  return ms < 2 * DAY_MS
    ? words.format(-Math.floor(ms / HOUR_MS), 'hour')
    : words.format(-Math.floor(ms / DAY_MS), 'day');
}
