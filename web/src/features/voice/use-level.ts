import { type RefObject, useEffect, useRef } from 'react';

/** How much of the last loudness is left one frame later: quick to rise, slow to fall, as a needle is. */
const FALL_PER_FRAME = 0.88;

/**
 * Writes a loudness (0..1) to an element's `--level` on every frame while active, and 0 otherwise. It goes past React:
 * sixty renders a second would cost more than the sound itself.
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
    let frame = requestAnimationFrame(function draw() {
      // Loudness is heard by ratios: the root shows a quiet voice as something and a loud one as not too much more.
      shown = Math.max(Math.sqrt(Math.min(1, Math.max(0, reader.current()))), shown * FALL_PER_FRAME);
      target.style.setProperty('--level', shown.toFixed(3));
      frame = requestAnimationFrame(draw);
    });
    return () => {
      cancelAnimationFrame(frame);
      target.style.setProperty('--level', '0');
    };
  }, [isActive]);
  return element;
}
