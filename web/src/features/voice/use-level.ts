import { type RefObject, useEffect, useRef } from 'react';

/** 15 updates a second look smooth enough; 60 took a tenth of a core in each listener's browser. */
const STEP_MS = 66;
/** Decay of the displayed level per step: it rises at once and falls slowly, like a VU meter. */
const FALL_PER_STEP = 0.6;

/**
 * Writes a loudness (0..1) to an element's `--level` while active, and 0 otherwise. Bypasses React, because rendering
 * this often would cost more CPU than the audio.
 */
export function useLevel<T extends HTMLElement>(isActive: boolean, read: () => number): RefObject<T | null> {
  const element = useRef<T>(null);
  const reader = useRef(read);
  useEffect(() => {
    reader.current = read;
  });
  useEffect(() => {
    const target = element.current;
    if (!isActive || !target) return;
    let shown = 0;
    const timer = setInterval(() => {
      // Perceived loudness is roughly logarithmic: the square root raises quiet voices relative to loud ones.
      shown = Math.max(Math.sqrt(Math.min(1, Math.max(0, reader.current()))), shown * FALL_PER_STEP);
      target.style.setProperty('--level', shown.toFixed(2));
    }, STEP_MS);
    return () => {
      clearInterval(timer);
      target.style.setProperty('--level', '0');
    };
  }, [isActive]);
  return element;
}
