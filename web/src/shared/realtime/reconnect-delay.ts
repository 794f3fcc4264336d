const FIRST_MS = 300;
const LONGEST_MS = 5_000;
/** Whoever listens is to be back in the room 1.5 s after the way is open: with jitter 1.1 s, and the rest to enter. */
const LONGEST_LISTENING_MS = 850;

/**
 * Delay before attempt number `attempt` (from 1), ms: 0.3 s doubling up to 5 s (0.85 s while listening in a room), with
 * random jitter of ±1/3, so that a thousand clients of a restarted server don't reconnect at the same instant.
 */
export function reconnectDelayMs(attempt: number, isListening: boolean, random: () => number): number {
  const longest = isListening ? LONGEST_LISTENING_MS : LONGEST_MS;
  const base = Math.min(longest, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(base * (2 / 3 + (random() * 2) / 3));
}
