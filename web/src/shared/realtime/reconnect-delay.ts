const FIRST_MS = 300;
const LONGEST_MS = 5_000;
/** Whoever listens is to be back in the room 1.5 s after the way is open: 0.87 s with jitter, and the rest to enter. */
const LISTENING_MS = 650;
const LOOK_MS = 3_000;

/** A third more or less, so that a thousand clients of a restarted server don't come at the same instant. */
const spread = (ms: number, random: () => number): number => Math.round(ms * (2 / 3 + (random() * 2) / 3));

/**
 * Delay before the next attempt after `failed` ones (from 1) that were lost or refused, ms: 0.3 s doubling up to 5 s (0.65 s
 * while listening in a room), a third more or less.
 */
export const reconnectDelayMs = (failed: number, isListening: boolean, random: () => number): number =>
  spread(Math.min(isListening ? LISTENING_MS : LONGEST_MS, FIRST_MS * 2 ** Math.min(failed - 1, 10)), random);

/** Time from one look whether the way is open to the next, ms: 0.65 s while listening, else 3 s, a third more or less. */
export const lookDelayMs = (isListening: boolean, random: () => number): number =>
  spread(isListening ? LISTENING_MS : LOOK_MS, random);

/** An attempt made without knowing that the way is open may stand this long: it keeps others of this browser waiting. */
export const BLIND_LIMIT_MS = 2_000;
/** Age at which an attempt that may have been made on a dead way is replaced when the way is open. Most are answered by then. */
export const OUTLIVED_MS = 900;
/** A look can hang on a connection that is dead, until the browser notices: some 20 s. */
const HUNG_LOOKS_MS = 60_000;
const BLIND_PAUSE_MS = 90_000;
/**
 * Pause from such an attempt to the next, ms: 5 to 8 s in an outage's first minute, while no look has been answered in it, then
 * 90 s. That makes some twelve in the six minutes that Chromium counts: from a few more on it lets all sockets wait.
 */
export const blindPauseMs = (outageMs: number, isLookAnswered: boolean, random: () => number): number =>
  isLookAnswered || outageMs > HUNG_LOOKS_MS ? BLIND_PAUSE_MS : Math.round(5_000 + random() * 3_000);
/** How long the patient look waits, for ways that are slow rather than dead. */
export const PATIENT_MS = 8_000;

export const LIMIT_MS = 2_000;
/**
 * How long an attempt on an open way may stand, ms: 2 s, twice as long after each one that stood so for nothing, up to 8 s. What
 * is slow then is the way or the server, and more attempts would only make it slower.
 */
export const answerLimitMs = (unanswered: number): number =>
  Math.min(PATIENT_MS, LIMIT_MS * 2 ** Math.min(unanswered, 4));
