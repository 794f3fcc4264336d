import type { Position } from 'geojson';
import { expect, test } from 'vitest';
import { labelPoint, landOf, linesOf, unwrapRing } from '../vite/world-map/geometry.ts';
import { borders, labels, land } from '../vite/world-map/world-map.ts';

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
  const rings = land().features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : [],
  );
  expect(rings.length).toBeGreaterThan(1_000);
  // Antarctica alone has an edge from one side of the map to the other: along the pole.
  expect(rings.filter(jumps)).toHaveLength(1);
  const lines = borders().features.flatMap(({ geometry }) =>
    geometry.type === 'MultiLineString' ? geometry.coordinates : [],
  );
  expect(lines.length).toBeGreaterThan(150);
  expect(lines.some(jumps)).toBe(false);
  expect(landOf([]).geometry.coordinates).toEqual([]);
});

test('places have their names in each language', () => {
  expect(named('fr')).toEqual(
    expect.arrayContaining(['Allemagne', 'Londres', 'Le Caire', 'Pékin', 'Astana', 'Kosovo']),
  );
  expect(named('en')).toEqual(expect.arrayContaining(['Germany', 'London', 'Cairo', 'Cologne', 'Astana', 'Kosovo']));
  expect(named('de')).toEqual(expect.arrayContaining(['Deutschland', 'Mailand', 'Kairo', 'Köln', 'Peking', 'Kosovo']));
  expect(new Set([named('fr'), named('en'), named('de')].map((names) => names.length)).size).toBe(1);
});
