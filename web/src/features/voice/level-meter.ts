import type { ParticipantId } from '@pressel/contract/ids';
import { type RefObject, useEffect, useRef } from 'react';
import type { Stop } from './engine/platform.ts';

export const LEVEL_STEP_MS = 125;
/**
 * A level rises at once. It falls when no reading has reached it for this many steps, to the loudest of them, as meters
 * hold their peaks. So the gaps between words move nothing. Each change that is shown costs a frame in each listener's
 * browser [TALK90].
 */
export const STEPS_HELD = 10;
/** Number of levels that differ visibly on the screen. Smaller changes are not shown, so that they cost no frame. */
const SHADES = 6;

/** The talkers' levels, for the screen. */
export interface LevelMeter<Id = ParticipantId> {
  /** Calls `show` with each new level, 0..1. The level starts from 0. */
  watch(id: Id, show: (level: number) => void): Stop;
}

interface Watched {
  shows: Set<(level: number) => void>;
  /** Measured in SHADES, like the next two fields. */
  shown: number;
  /** The loudest reading since the last one that reached `shown`, and the number of steps since then. */
  loudest: number;
  below: number;
}

/** Perceived loudness is roughly logarithmic: the square root raises quiet voices relative to loud ones. */
const shadeOf = (level: number) => Math.round(Math.sqrt(Math.min(1, Math.max(0, level))) * SHADES);

/**
 * Reads each watched participant once per step, however many views show it, and only every second step while its level
 * is held. Nothing runs while nobody is watched.
 */
export function createLevelMeter<Id = ParticipantId>(read: (id: Id) => number): LevelMeter<Id> {
  const all = new Map<Id, Watched>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const step = () => {
    for (const [id, watched] of all) {
      const now = watched.below % 2 === 1 ? 0 : shadeOf(read(id));
      if (now < watched.shown) {
        watched.loudest = Math.max(watched.loudest, now);
        watched.below += 1;
        if (watched.below < STEPS_HELD) continue;
      }
      const shown = Math.max(now, watched.loudest);
      watched.loudest = 0;
      watched.below = 0;
      if (shown === watched.shown) continue;
      watched.shown = shown;
      for (const show of watched.shows) show(shown / SHADES);
    }
  };

  return {
    watch(id, show) {
      const watched = all.get(id) ?? { shows: new Set(), shown: 0, loudest: 0, below: 0 };
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

/**
 * Scales an element with the level of a participant: from its own size up to `1 + reach` times that. It bypasses React
 * and changes only a transform, so that the browser recalculates neither styles nor layout nor pixels [TALK90]. With
 * reduced motion the element keeps its size.
 */
export function useLevel<T extends HTMLElement>(
  levels: LevelMeter,
  id: ParticipantId | undefined,
  reach: number,
): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    const target = element.current;
    if (id === undefined || target === null) return;
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const stop = levels.watch(id, (level) => {
      target.style.transform = `scale(${1 + level * reach})`;
    });
    return () => {
      stop();
      target.style.transform = '';
    };
  }, [levels, id, reach]);
  return element;
}
