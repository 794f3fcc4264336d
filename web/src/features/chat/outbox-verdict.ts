import { errorCodeOf, isUnreachable } from '#src/shared/api/api-error.ts';
import { retryAfterMs } from '#src/shared/api/retry-after.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** Maximum number of attempts at a fault of the server that keeps coming back. */
const FAULTS_MAX = 5;

export type Verdict = { isFinal: true } | { isFinal: false; afterMs: number };

/**
 * Decides whether and when an unsent message is tried again. Without an answer: always, after 1 s doubling up to 30 s,
 * with jitter. If the server says how long to wait: then. A refusal is final.
 * @param attempt number of this attempt, from 1
 */
export function verdictOn(error: unknown, attempt: number, random: () => number): Verdict {
  const code = errorCodeOf(error);
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  const pause = Math.round(base * (2 / 3 + (random() * 2) / 3));
  if (code === 'too_many') return { isFinal: false, afterMs: Math.max(retryAfterMs(error), pause) };
  if (code === 'internal' || code === 'bad_reply') {
    return attempt >= FAULTS_MAX ? { isFinal: true } : { isFinal: false, afterMs: pause };
  }
  // The session is over: the message waits for the next one.
  const isWaiting = isUnreachable(error) || code === 'too_slow' || code === 'unauthenticated';
  return isWaiting ? { isFinal: false, afterMs: pause } : { isFinal: true };
}
