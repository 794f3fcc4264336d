import type { LngLat, TrailPoint } from '@pressel/contract/positions';
import type { Language } from '#src/shared/languages.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { MapScale } from './map-scale.ts';
import type { Person, PositionIndexChange } from './position-index.ts';

export type Scheme = 'light' | 'dark';

/** The map's own sentences. */
export interface MapTexts {
  /** Names the canvas for readers. */
  title: string;
  /** Says what to do instead of scrolling over the map. */
  cooperative: { windows: string; mac: string; touch: string };
}

/** Words and state of markers, in the interface's language. */
export interface MarkerWords {
  /** Says who it is, whether they are here, and how old the position is, if it is old. */
  one(person: Person, ageMs: number): string;
  many(count: number, here: number): string;
  /** The text on a stale marker. */
  age(ageMs: number): string;
}

export interface MapOptions {
  container: HTMLElement;
  styleUrl: string | null;
  center: LngLat;
  scheme: Scheme;
  language: Language;
  texts: MapTexts;
  words: MarkerWords;
  people: () => ReadonlyMap<string, Person>;
  /** A steady clock, ms. */
  now: () => number;
  onChoose: (userId: string | null) => void;
  /** Called for several people at one place that no zoom takes apart. */
  onCrowd: (userIds: readonly string[]) => void;
  /** `bundled`: the configured style could not be reached. */
  onStyle: (drawn: { source: 'configured' | 'bundled'; isFallback: boolean; attributions: readonly string[] }) => void;
  /** Called when the browser took the ground's drawing away, or gave it back. Markers are drawn without it. */
  onGround: (isLost: boolean) => void;
}

/** A map that is shown. */
export interface MapView {
  /** Called when people moved, came or went. */
  changed(change: PositionIndexChange): void;
  choose(userId: string | null): void;
  /** Moves to somebody, as near as the style can draw. @returns false when they are not on the map */
  panTo(userId: string): boolean;
  showAll(): void;
  zoomBy(steps: number): void;
  showTrail(trail: readonly TrailPoint[] | null): void;
  setScheme(scheme: Scheme): void;
  scale: SnapshotSource<MapScale>;
  /** Final and idempotent. */
  close(): void;
}

/**
 * Returns the smallest part of the world that contains all of these, by two corners; null without anybody. Across the
 * antimeridian the eastern one is beyond 180.
 */
export function boundsOf(people: Iterable<Pick<Person, 'lng' | 'lat'>>): [west: LngLat, east: LngLat] | null {
  const places = [...people];
  const lngs = places.map(({ lng }) => lng).sort((one, other) => one - other);
  const [first] = lngs;
  const last = lngs.at(-1);
  if (first === undefined || last === undefined) return null;
  // The part begins after the widest gap between two neighbours, and ends before it.
  let [west, east, widest] = [first, last, first + 360 - last];
  let before = first;
  for (const lng of lngs) {
    if (lng - before > widest) [west, east, widest] = [lng, before, lng - before];
    before = lng;
  }
  const lats = places.map(({ lat }) => lat);
  const beyond = east < west ? east + 360 : east;
  return [
    [west, lats.reduce((one, other) => Math.min(one, other))],
    [beyond, lats.reduce((one, other) => Math.max(one, other))],
  ];
}
