const FIRST_MS = 300;
const LONGEST_MS = 5_000;

/**
 * Delay before attempt number `attempt` (from 1), ms: 0.3 s doubling up to 5 s, with random jitter of ±1/3, so that a
 * thousand clients of a restarted server don't reconnect at the same instant.
 */
export function reconnectDelayMs(attempt: number, random: () => number): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(base * (2 / 3 + (random() * 2) / 3));
}
