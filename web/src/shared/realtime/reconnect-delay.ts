const FIRST_MS = 300;
const LONGEST_MS = 5_000;

/**
 * How long to wait before attempt number `attempt` (from 1), ms: 0.3 s doubling to 5 s, a third more or less by
 * chance, so that a thousand clients of a restarted server don't all come back in the same instant.
 */
export function reconnectDelayMs(attempt: number, random: () => number): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(base * (2 / 3 + (random() * 2) / 3));
}
