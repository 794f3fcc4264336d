import type { ParticipantId } from '@pressel/contract/ids';
import type { Stop } from './engine/platform.ts';

export const LEVEL_STEP_MS = 125;
/** Of so many readings the loudest is shown, because each one shown costs a frame in each listener's browser [TALK90]. */
const READINGS_SHOWN = 2;
/** Decay of the shown level per reading: it rises at once and falls slowly, like a VU meter. */
const FALL_PER_STEP = 0.4;
/** Levels that can be told apart on the screen. Smaller changes are not shown, so that they cost no frame. */
const SHADES = 6;

/** The levels of those who talk, for the screen. */
export interface LevelMeter {
  /** Calls `show` with each new level to show, 0..1. It starts from 0. */
  watch(id: ParticipantId, show: (level: number) => void): Stop;
}

interface Watched {
  shows: Set<(level: number) => void>;
  /** Falls slowly. */
  level: number;
  /** The highest since the last one that was shown, of so many readings. */
  peak: number;
  readings: number;
  /** In SHADES. */
  shown: number;
}

/** Reads each watched participant once per step, however many views show it; nothing runs while nobody is watched. */
export function createLevelMeter(read: (id: ParticipantId) => number): LevelMeter {
  const all = new Map<ParticipantId, Watched>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const step = () => {
    for (const [id, watched] of all) {
      // Perceived loudness is roughly logarithmic: the square root raises quiet voices relative to loud ones.
      const now = Math.sqrt(Math.min(1, Math.max(0, read(id))));
      watched.level = Math.max(now, watched.level * FALL_PER_STEP);
      watched.peak = Math.max(watched.peak, watched.level);
      watched.readings += 1;
      // The beginning of a sound is seen at once.
      if (watched.shown > 0 && watched.readings < READINGS_SHOWN) continue;
      const shown = Math.round(watched.peak * SHADES);
      watched.peak = 0;
      if (shown === watched.shown) continue;
      watched.readings = 0;
      watched.shown = shown;
      for (const show of watched.shows) show(shown / SHADES);
    }
  };

  return {
    watch(id, show) {
      const watched = all.get(id) ?? { shows: new Set(), level: 0, peak: 0, readings: 0, shown: 0 };
      all.set(id, watched);
      // Wrapped, so that the same function added twice is two watchers.
      const entry = (level: number) => show(level);
      watched.shows.add(entry);
      if (watched.shown > 0) entry(watched.shown / SHADES);
      timer ??= setInterval(step, LEVEL_STEP_MS);
      return () => {
        watched.shows.delete(entry);
        if (watched.shows.size > 0) return;
        if (all.get(id) === watched) all.delete(id);
        if (all.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
