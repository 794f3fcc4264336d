import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { MarkerWords } from './map/map-view.ts';
import { ageOf, isStale } from './map/marker-rules.ts';

/** The texts of the map in the current language. */
export const usePositionsWords = () => useTranslation('positions').t;
export type PositionsWords = ReturnType<typeof usePositionsWords>;

/** Words an age as briefly as possible; it is at least a minute. */
function shortAge(t: PositionsWords, ageMs: number): string {
  const age = ageOf(ageMs);
  return age.unit === 'now' ? t('marker.minutes', { count: 0 }) : t(`marker.${age.unit}`, { count: age.count });
}

/** Says how long ago something was. */
export function agoSentence(t: PositionsWords, ageMs: number): string {
  const age = ageOf(ageMs);
  return age.unit === 'now' ? t('card.now') : t(`card.${age.unit}`, { count: age.count });
}

export const markerWords = (t: PositionsWords): MarkerWords => ({
  one({ name, isInRoom, isTalking }, ageMs) {
    if (isTalking) return t('marker.talking', { name });
    if (!isStale(ageMs)) return t(isInRoom ? 'marker.here' : 'marker.away', { name });
    return t(isInRoom ? 'marker.oldHere' : 'marker.oldAway', { name, age: shortAge(t, ageMs) });
  },
  many: (count, here) => t('marker.group', { count, here }),
  age: (ageMs) => shortAge(t, ageMs),
});
