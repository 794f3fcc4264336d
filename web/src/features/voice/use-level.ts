import { type RefObject, useEffect, useRef } from 'react';

/** Fifteen times a second looks alive. Each frame of sixty cost a tenth of a core for every listener. */
const STEP_MS = 66;
/** How much of the last loudness is left one step later: quick to rise, slow to fall, as a needle is. */
const FALL_PER_STEP = 0.6;

/**
 * Writes a loudness (0..1) to an element's `--level` while active, and 0 otherwise. It goes past React: so many renders
 * would cost more than the sound itself.
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
      // Loudness is heard by ratios: the root shows a quiet voice as something and a loud one as not too much more.
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
