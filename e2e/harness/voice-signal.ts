/**
 * The known voice of the browser tests and benches, and how to recognise it in a recording.
 * A linear chirp (a sweep from LOW to HIGH within one second, over and over) survives speech coding, noise suppression
 * and gain control. Each of its moments has a pitch of its own, so a recording tells which millisecond of the voice it
 * is. Person `up` sweeps upwards, person `down` downwards, so two can be told apart.
 */
export type Voice = 'up' | 'down';

export const SAMPLE_RATE = 48_000;
export const LOW_HZ = 400;
export const HIGH_HZ = 3_400;
/** Loudness of the voice, full scale being 1. */
export const AMPLITUDE = 0.3;
/** Louder than this is sound, not noise (spent comfort noise and rounding stay far below). */
export const ONSET_LEVEL = 0.02;

const WINDOW_MS = 20;
const WINDOW = (SAMPLE_RATE * WINDOW_MS) / 1000;
/** Two windows this far apart must differ by the sweep's slope to count as the voice. */
const SLOPE_SPAN_MS = 100;
const SLOPE_HZ = ((HIGH_HZ - LOW_HZ) * SLOPE_SPAN_MS) / 1000;
const SLOPE_TOLERANCE_HZ = 90;

/** Milliseconds of sound that are recognised as each voice. Silence and other sounds count for nobody. */
export function recognise(samples: Float32Array): Record<Voice, number> {
  const pitches: (number | null)[] = [];
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW)
    pitches.push(pitchOf(samples.subarray(at, at + WINDOW)));
  const heard = { up: 0, down: 0 };
  const span = SLOPE_SPAN_MS / WINDOW_MS;
  for (let index = 0; index + span < pitches.length; index += 1) {
    const [from, to] = [pitches[index], pitches[index + span]];
    if (from === null || from === undefined || to === null || to === undefined) continue;
    if (Math.abs(to - from - SLOPE_HZ) < SLOPE_TOLERANCE_HZ) heard.up += WINDOW_MS;
    if (Math.abs(from - to - SLOPE_HZ) < SLOPE_TOLERANCE_HZ) heard.down += WINDOW_MS;
  }
  return heard;
}

/** Index of the first sample of sound: three of the next four milliseconds are louder than noise; -1 when none. */
export function onset(samples: Float32Array, from = 0): number {
  const step = SAMPLE_RATE / 1000;
  const isLoud = (at: number) => peak(samples, at, at + step) > ONSET_LEVEL;
  for (let at = from; at + 4 * step <= samples.length; at += step) {
    if (!isLoud(at)) continue;
    if ([1, 2, 3].filter((ahead) => isLoud(at + ahead * step)).length >= 2) return at;
  }
  return -1;
}

/** Index just after the last loud millisecond; -1 when there was none. */
export function lastSound(samples: Float32Array): number {
  const step = SAMPLE_RATE / 1000;
  for (let at = samples.length - step; at >= 0; at -= step) {
    if (peak(samples, at, at + step) > ONSET_LEVEL) return at + step;
  }
  return -1;
}

/** The longest time without sound between the first and the last sound, ms. */
export function longestGap(samples: Float32Array): number {
  const step = SAMPLE_RATE / 1000;
  let [longest, since] = [0, Number.NaN];
  for (let at = 0; at + step <= samples.length; at += step) {
    if (peak(samples, at, at + step) <= ONSET_LEVEL) continue;
    if (!Number.isNaN(since)) longest = Math.max(longest, (at - since) / step - 1);
    since = at;
  }
  return longest;
}

function peak(samples: Float32Array, from: number, to: number): number {
  let max = 0;
  for (let index = from; index < to; index += 1) max = Math.max(max, Math.abs(samples[index] ?? 0));
  return max;
}

/**
 * The place (0 to 1000 ms) in the voice `up`'s second at the start of a window of `samples`. The sweep is undone
 * (multiplied by its conjugate), which leaves a steady tone whose pitch is the cursor. Null when it is too quiet.
 */
export function offsetInSweep(samples: Float32Array, at: number): number | null {
  const length = (SAMPLE_RATE * 15) / 1000;
  if (at < 0 || at + length > samples.length) return null;
  if (peak(samples, at, at + length) < ONSET_LEVEL) return null;
  const slope = HIGH_HZ - LOW_HZ;
  let best = 0;
  let bestPower = 0;
  const power = (hz: number): number => {
    let [re, im] = [0, 0];
    for (let index = 0; index < length; index += 1) {
      const t = index / SAMPLE_RATE;
      const phase = 2 * Math.PI * (hz * t + (slope * t * t) / 2);
      const value = (samples[at + index] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / length));
      re += value * Math.cos(phase);
      im -= value * Math.sin(phase);
    }
    return re * re + im * im;
  };
  for (let hz = LOW_HZ; hz <= HIGH_HZ; hz += 30) {
    const found = power(hz);
    if (found > bestPower) [best, bestPower] = [hz, found];
  }
  for (const step of [10, 3]) {
    const around = best;
    for (let hz = around - 3 * step; hz <= around + 3 * step; hz += step) {
      const found = power(hz);
      if (found > bestPower) [best, bestPower] = [hz, found];
    }
  }
  return ((best - LOW_HZ) / slope) * 1000;
}

/** The strongest pitch of a window, Hz, or null when it is quiet: a DFT scan, fine enough for the slope test. */
function pitchOf(window: Float32Array): number | null {
  if (peak(window, 0, window.length) < ONSET_LEVEL) return null;
  let best = 0;
  let bestPower = 0;
  for (let hz = LOW_HZ - 100; hz <= HIGH_HZ + 100; hz += 20) {
    const power = goertzel(window, hz);
    if (power > bestPower) [best, bestPower] = [hz, power];
  }
  return best;
}

function goertzel(window: Float32Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / SAMPLE_RATE);
  let [before, last] = [0, 0];
  for (const value of window) [before, last] = [last, value + coefficient * last - before];
  return last * last + before * before - coefficient * last * before;
}

/** Difference of two places in a sweep of one second, -500 to 500 ms. */
export const apart = (a: number, b: number): number => ((((a - b) % 1000) + 1500) % 1000) - 500;
