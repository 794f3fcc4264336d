import type { TrailPoint } from '@pressel/contract/positions';
import type { Feature, LineString, Polygon } from 'geojson';
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { lngBeside } from './mercator.ts';
import type { Person } from './position-index.ts';

const CORNERS = 64;
const METRES_PER_DEGREE = 111_320;
const COLOUR = '#1d6fe0';
const NOTHING = { type: 'FeatureCollection' as const, features: [] };

/** The trail of the chosen person, and the circle that they are somewhere in. */
export function createTrailLayers(map: MapLibreMap) {
  let line: Feature<LineString> | null = null;
  let circle: Feature<Polygon> | null = null;

  const set = (id: string, feature: Feature | null): void => {
    map.getSource<GeoJSONSource>(id)?.setData(feature ?? NOTHING);
  };
  const showTrail = (trail: readonly TrailPoint[] | null): void => {
    line = trail === null || trail.length < 2 ? null : lineOf(trail);
    set('trail', line);
  };
  return {
    /** A new style has nothing of what was drawn on the last one. */
    restore(): void {
      for (const [id, feature] of [
        ['accuracy', circle],
        ['trail', line],
      ] as const) {
        if (map.getSource(id) === undefined) map.addSource(id, { type: 'geojson', data: feature ?? NOTHING });
      }
      if (map.getLayer('accuracy') !== undefined) return;
      map.addLayer({
        id: 'accuracy',
        type: 'fill',
        source: 'accuracy',
        paint: { 'fill-color': COLOUR, 'fill-opacity': 0.14, 'fill-outline-color': COLOUR },
      });
      map.addLayer({
        id: 'trail',
        type: 'line',
        source: 'trail',
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': COLOUR, 'line-width': 3, 'line-opacity': 0.8 },
      });
    },
    showTrail,
    showAccuracy(person: Pick<Person, 'lng' | 'lat' | 'accuracy'> | null): void {
      circle = person === null || person.accuracy === null ? null : circleOf(person, person.accuracy);
      set('accuracy', circle);
    },
  };
}

/** Across the antimeridian the line goes on beyond 180, and not back around the world. */
export function lineOf(trail: readonly TrailPoint[]): Feature<LineString> {
  let before = trail[0]?.[0] ?? 0;
  const coordinates = trail.map(([lng, lat]) => {
    before = lngBeside(lng, before);
    return [before, lat];
  });
  return { type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates } };
}

function circleOf({ lng, lat }: { lng: number; lat: number }, metres: number): Feature<Polygon> {
  const up = metres / METRES_PER_DEGREE;
  const across = up / Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  const corner = (index: number) => {
    const angle = (index / CORNERS) * 2 * Math.PI;
    return [lng + across * Math.cos(angle), lat + up * Math.sin(angle)];
  };
  const ring = Array.from({ length: CORNERS + 1 }, (_, index) => corner(index % CORNERS));
  return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
}
