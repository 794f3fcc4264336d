const FIRST_MS = 300;
const LONGEST_MS = 5_000;
/** Whoever listens must not miss more than this of a talk, jitter included: 1.1 s and a third is below 1.5 s. */
const LONGEST_LISTENING_MS = 1_100;

/**
 * Delay before attempt number `attempt` (from 1), ms: 0.3 s doubling up to 5 s (1.1 s while listening in a room), with
 * random jitter of ±1/3, so that a thousand clients of a restarted server don't reconnect at the same instant.
 */
export function reconnectDelayMs(attempt: number, isListening: boolean, random: () => number): number {
  const longest = isListening ? LONGEST_LISTENING_MS : LONGEST_MS;
  const base = Math.min(longest, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(base * (2 / 3 + (random() * 2) / 3));
}
