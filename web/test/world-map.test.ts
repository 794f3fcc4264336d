import type { Position } from 'geojson';
import { expect, test } from 'vitest';
import { labelPoint, landOf, linesOf, unwrapRing } from '../vite/world-map/geometry.ts';
import { FRANCE, groundLayers, requireSmallPacks } from '../vite/world-map/ground.ts';
import { labels } from '../vite/world-map/world-map.ts';

const layers = groundLayers();
const jumps = (line: readonly Position[]) =>
  line.some(([lng = 0], index) => index > 0 && Math.abs(lng - (line[index - 1]?.[0] ?? 0)) > 180);
const named = (language: 'fr' | 'en' | 'de') =>
  labels(language).features.map(({ properties }) => String(properties?.name));

test('a ring over the antimeridian goes on beyond it', () => {
  expect(
    unwrapRing([
      [179, 0],
      [-179, 1],
      [-179, -1],
      [179, 0],
    ]),
  ).toEqual([
    [179, 0],
    [181, 1],
    [181, -1],
    [179, 0],
  ]);
});

test('a ring round a pole is closed along it', () => {
  const ring = unwrapRing([
    [-90, -70],
    [0, -71],
    [90, -72],
    [180, -70],
    [-90, -70],
  ]);
  expect(jumps(ring)).toBe(true);
  expect(Math.min(...ring.map(([, lat = 0]) => lat))).toBe(-90);
});

test('lines are cut where they jump', () => {
  const { geometry } = linesOf({
    type: 'MultiLineString',
    coordinates: [
      [
        [170, 0],
        [179, 0],
        [-179, 0],
        [-170, 0],
      ],
    ],
  });
  expect(geometry.coordinates).toEqual([
    [
      [170, 0],
      [179, 0],
    ],
    [
      [-179, 0],
      [-170, 0],
    ],
  ]);
});

test('a name stands inside the largest part, also of a shape with a hollow', () => {
  const horseshoe = [
    [0, 0],
    [10, 0],
    [10, 10],
    [7, 10],
    [7, 3],
    [3, 3],
    [3, 10],
    [0, 10],
    [0, 0],
  ];
  const island = [
    [50, 0],
    [51, 0],
    [51, 1],
    [50, 1],
    [50, 0],
  ];
  const { point } = labelPoint({ type: 'MultiPolygon', coordinates: [[island], [horseshoe]] });
  const [lng = 0, lat = 0] = point.coordinates;
  expect(lng).toBeCloseTo(5);
  expect(lat).toBeGreaterThan(0);
  expect(lat).toBeLessThan(3);
});

test('the world is drawn without lines across it', () => {
  const { land = [], borders = [] } = layers;
  const rings = land.flatMap(({ geometry }) => (geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : []));
  expect(rings.length).toBeGreaterThan(1_000);
  // Antarctica alone has an edge from one side of the map to the other: along the pole.
  expect(rings.filter(jumps)).toHaveLength(1);
  const lines = borders.flatMap(({ geometry }) => (geometry.type === 'MultiLineString' ? geometry.coordinates : []));
  expect(lines.length).toBeGreaterThan(150);
  expect(lines.some(jumps)).toBe(false);
  expect(landOf([]).geometry.coordinates).toEqual([]);
});

/** Whether a layer has something within a tenth of a degree. */
function isNear(layer: string, lng: number, lat: number): boolean {
  const near = (points: unknown): boolean =>
    Array.isArray(points) && typeof points[0] === 'number'
      ? Math.hypot(points[0] - lng, points[1] - lat) < 0.1
      : Array.isArray(points) && points.some(near);
  return (layers[layer] ?? []).some(({ geometry }) => near(geometry.coordinates));
}

test.each([
  ['rivers', 'the Loire at Blois', 1.33, 47.58],
  ['lakes', 'Lake Geneva at Lausanne', 6.63, 46.5],
  ['regions', 'where three departments meet, near Nemours', 2.94, 48.16],
  ['urban', 'the edge of Nantes', -1.47, 47.15],
  ['borders', 'the Rhine at Strasbourg', 7.8, 48.58],
])('[POS38] %s of Natural Earth: %s', (layer, _, lng, lat) => expect(isNear(layer, lng, lat)).toBe(true));

// All tiles of the world are made once, by the build, which then asks this.
test('[POS38] a picture takes few files of tiles, and none of them is large', () => {
  expect(new Set(FRANCE).size).toBe(2);
  const pack = (key = '', size = 0) => ({ key, bytes: new Uint8Array(size) });
  const [west, east] = FRANCE;
  const picture = [pack(west, 200_000), pack(east, 200_000)];
  expect(() => requireSmallPacks([...picture, pack('elsewhere', 599_999)])).not.toThrow();
  expect(() => requireSmallPacks([...picture, pack('elsewhere', 600_000)])).toThrow('too large: elsewhere');
  expect(() => requireSmallPacks([pack(west, 300_000), pack(east, 300_000)])).toThrow('France takes 600000 bytes');
  expect(() => requireSmallPacks([pack(west, 50_000), pack('elsewhere', 300_000)])).toThrow('France takes 50000 bytes');
});

test('places have their names in each language', () => {
  expect(named('fr')).toEqual(
    expect.arrayContaining(['Allemagne', 'Londres', 'Le Caire', 'Pékin', 'Astana', 'Kosovo']),
  );
  expect(named('en')).toEqual(expect.arrayContaining(['Germany', 'London', 'Cairo', 'Cologne', 'Astana', 'Kosovo']));
  expect(named('de')).toEqual(expect.arrayContaining(['Deutschland', 'Mailand', 'Kairo', 'Köln', 'Peking', 'Kosovo']));
  expect(new Set([named('fr'), named('en'), named('de')].map((names) => names.length)).size).toBe(1);
});
