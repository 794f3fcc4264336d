const FIRST_MS = 300;
const LONGEST_MS = 5_000;
/** A listening user is to be back in the room 1.5 s after the server can be reached: 0.87 s with jitter, and the rest to enter. */
const LISTENING_MS = 650;
const LOOK_MS = 3_000;

/** Varies a delay by a third, so that a thousand clients of a restarted server don't come at the same instant. */
const spread = (ms: number, random: () => number): number => Math.round(ms * (2 / 3 + (random() * 2) / 3));

/**
 * Delay before the next attempt after `failed` ones (from 1) that were lost or refused, ms. It doubles from 0.3 s up to
 * 5 s (0.65 s while listening in a room), varied by a third.
 */
export const reconnectDelayMs = (failed: number, isListening: boolean, random: () => number): number =>
  spread(Math.min(isListening ? LISTENING_MS : LONGEST_MS, FIRST_MS * 2 ** Math.min(failed - 1, 10)), random);

/** Interval of looks whether the server can be reached, ms: 0.65 s while listening, else 3 s, varied by a third. */
export const lookDelayMs = (isListening: boolean, random: () => number): number =>
  spread(isListening ? LISTENING_MS : LOOK_MS, random);

/** Time limit of an attempt that was made without knowing that the server can be reached. It keeps others of this browser waiting. */
export const BLIND_LIMIT_MS = 2_000;
/** Age at which an attempt that may have been made over a dead path is replaced when the server can be reached. Most get an answer by then. */
export const OUTLIVED_MS = 900;
/** A look can hang on a dead connection until the browser notices, which takes some 20 s. */
const HUNG_LOOKS_MS = 60_000;
const BLIND_PAUSE_MS = 90_000;
/**
 * Pause from such an attempt to the next, ms. In an outage's first minute, while no look was answered in it, 5 to 8 s;
 * then 90 s. That makes some twelve in the six minutes that Chromium counts. With a few more, Chromium makes all
 * sockets wait.
 */
export const blindPauseMs = (outageMs: number, isLookAnswered: boolean, random: () => number): number =>
  isLookAnswered || outageMs > HUNG_LOOKS_MS ? BLIND_PAUSE_MS : Math.round(5_000 + random() * 3_000);
/** Longest wait of the patient look, for ways that are slow rather than dead. */
export const PATIENT_MS = 8_000;

export const LIMIT_MS = 2_000;
/**
 * Time limit of an attempt on an open way, ms: 2 s, doubled after each attempt that timed out, up to 8 s. If they time
 * out, the way or the server is slow, and more attempts would only make it slower.
 */
export const answerLimitMs = (unanswered: number): number =>
  Math.min(PATIENT_MS, LIMIT_MS * 2 ** Math.min(unanswered, 4));
