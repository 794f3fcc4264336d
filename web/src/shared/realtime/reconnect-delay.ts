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

const ANSWER_MS = 4_000;
const LONGEST_ANSWER_MS = 16_000;
const ANSWER_LISTENING_MS = 2_000;
/** While listening each fourth attempt has more time, for ways that are slow rather than dead. */
const PATIENT = { each: 4, ms: 8_000 };

/**
 * How long attempt number `attempt` (from 0) may stand without an answer, ms: a way that is dead drops what is sent, and
 * refuses nothing. 4 s doubling up to 16 s; 2 s while listening in a room, so that the next one finds the way open soon.
 */
export function answerLimitMs(attempt: number, isListening: boolean): number {
  if (!isListening) return Math.min(LONGEST_ANSWER_MS, ANSWER_MS * 2 ** Math.min(attempt, 10));
  return attempt % PATIENT.each === PATIENT.each - 1 ? PATIENT.ms : ANSWER_LISTENING_MS;
}
