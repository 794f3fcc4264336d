import { numberFormat } from '#src/shared/format/formatters.ts';
import type { Language } from '#src/shared/languages.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import { type Camera, metresPerPixel } from './mercator.ts';

/** A round distance, and how wide it is in the middle of the map. */
export interface MapScale {
  metres: number;
  px: number;
}

const WIDEST_PX = 100;
const ROUND = [5, 2, 1] as const;

/** Returns the longest of 1, 2, 5, 10, 20, 50 … metres, or parts of one, that is not wider than this. */
export function scaleOf(metresPerPx: number, widestPx = WIDEST_PX): MapScale {
  const most = metresPerPx * widestPx;
  const power = 10 ** Math.floor(Math.log10(most));
  const metres = power * (ROUND.find((times) => times * power <= most) ?? 1);
  return { metres, px: Math.round(metres / metresPerPx) };
}

/** Words a distance as people say it: in kilometres, metres or centimetres. */
export function distanceText(metres: number, language: Language): string {
  const [value, unit] =
    metres >= 1_000
      ? [metres / 1_000, 'kilometer']
      : metres >= 1
        ? [metres, 'meter']
        : [Math.round(metres * 100), 'centimeter'];
  return numberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
}

/** The scale of a map; tells its listeners when it looks different. */
export function createMapScale(camera: () => Camera): SnapshotSource<MapScale> & { update: () => void } {
  const listeners = new Set<() => void>();
  let shown = scaleOf(metresPerPixel(camera()));
  return {
    getSnapshot: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    update() {
      const next = scaleOf(metresPerPixel(camera()));
      if (next.metres === shown.metres && next.px === shown.px) return;
      shown = next;
      for (const listener of listeners) listener();
    },
  };
}
