import type { ParticipantId } from '@pressel/contract/ids';
import { type RefObject, useEffect, useRef } from 'react';
import type { LevelMeter } from './level-meter.ts';

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
