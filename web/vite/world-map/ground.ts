import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Feature, MultiLineString, MultiPolygon, Polygon, Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import {
  GROUND_MAX_ZOOM,
  packKey,
  type TileCoordinates,
  tileId,
} from '../../src/features/positions/map/ground-tiles.ts';
import { landOf, linesOf } from './geometry.ts';

/** A part of the ground: `zoom` is the least zoom of tiles that it is in. */
type GroundFeature = Feature<MultiPolygon | MultiLineString | Polygon, { zoom: number; rank?: number }>;
export type GroundLayers = Readonly<Record<string, readonly GroundFeature[]>>;

/** The format of `scripts/natural-earth.ts`: lines by their first point and the steps from there. */
interface PackedShape {
  lines: number[][];
  rank?: number;
  zoom?: number;
}
type NaturalEarth = Readonly<Record<'rivers' | 'regions' | 'lakes' | 'urban', readonly PackedShape[]>>;
type World = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

const require = createRequire(import.meta.url);
/** By rank, the zoom from which a river is drawn. Larger rivers have smaller ranks, which also decide how wide they are. */
const RIVER_ZOOMS = [2, 2, 2, 3, 4, 4, 5, 5];
/** Areas smaller than this, in square degrees, are drawn only from one zoom nearer on. */
const LAKE_SIZES = { from: 2, sizes: [1, 0.2, 0.03, 0.005] };
const URBAN_SIZES = { from: 4, sizes: [0.15, 0.04] };
const REGION_MIN_ZOOM = 3;
/** Simplification leaves out only what is smaller than this, in units of the tile: 4,096 to a tile. */
const TOLERANCE = 3;
const NEAREST_TOLERANCE = 1;
const BUFFER = 32;
const TILE = { version: 2, extent: 4_096 };

/** Coasts and borders (Natural Earth, 1:10 million, by npm) and the rest of the ground (decision 041). */
export function groundLayers(): GroundLayers {
  const world: World = JSON.parse(readFileSync(require.resolve('world-atlas/countries-10m.json'), 'utf8'));
  const file = readFileSync(join(import.meta.dirname, 'natural-earth.json.br'));
  const { rivers, regions, lakes, urban }: NaturalEarth = JSON.parse(brotliDecompressSync(file).toString());
  const everywhere = <F extends Feature>(one: F) => ({ ...one, properties: { zoom: 0 } });
  const areas = feature(world, world.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === 'Polygon' || geometry.type === 'MultiPolygon' ? [geometry] : [],
  );
  return {
    land: [everywhere(landOf(areas))],
    urban: urban.map(({ lines }) => areaOf(lines, URBAN_SIZES)),
    lakes: lakes.map(({ lines }) => areaOf(lines, LAKE_SIZES)),
    rivers: rivers.map(({ lines, rank = 0 }) => ({
      ...lineOf(lines),
      properties: { zoom: RIVER_ZOOMS[rank] ?? GROUND_MAX_ZOOM, rank },
    })),
    // Natural Earth's zooms are for tiles of half the size.
    regions: regions.map(({ lines, zoom = 0 }) => ({
      ...lineOf(lines),
      properties: { zoom: Math.min(GROUND_MAX_ZOOM, Math.max(REGION_MIN_ZOOM, Math.round(zoom) - 1)) },
    })),
    borders: [everywhere(linesOf(mesh(world, world.objects.countries, (a, b) => a !== b)))],
  };
}

function unpacked(line: readonly number[]): Position[] {
  let [x, y] = [0, 0];
  return Array.from({ length: line.length / 2 }, (_, index) => {
    x += line[index * 2] ?? 0;
    y += line[index * 2 + 1] ?? 0;
    return [x / 1_000, y / 1_000];
  });
}

const lineOf = (lines: readonly number[][]) => ({
  type: 'Feature' as const,
  geometry: { type: 'MultiLineString' as const, coordinates: lines.map(unpacked) },
});

function areaOf(lines: readonly number[][], { from, sizes }: { from: number; sizes: number[] }): GroundFeature {
  const coordinates = lines.map(unpacked);
  const [lngs, lats] = [0, 1].map((axis) => (coordinates[0] ?? []).map((point) => point[axis] ?? 0)) as [
    number[],
    number[],
  ];
  const spread = (values: number[]) => Math.max(...values) - Math.min(...values);
  const size = spread(lngs) * spread(lats);
  const larger = sizes.findIndex((least) => size >= least);
  return {
    type: 'Feature',
    properties: { zoom: from + (larger === -1 ? sizes.length : larger) },
    geometry: { type: 'Polygon', coordinates },
  };
}

export interface GroundPack {
  key: string;
  bytes: Uint8Array;
}

/** Returns all tiles that show something, in files of neighbours (ground-tiles.ts). */
export function groundPacks(layers: GroundLayers): GroundPack[] {
  const packs = new Map<string, { id: number; tile: Uint8Array }[]>();
  for (const [place, tile] of tilesOf(layers)) {
    const key = packKey(place);
    packs.set(key, [...(packs.get(key) ?? []), { id: tileId(place), tile }]);
  }
  return [...packs].map(([key, tiles]) => ({ key, bytes: packOf(tiles) }));
}

/** The most that a file of tiles may have, and all files of one picture, bytes. */
const PICTURE_MAX_BYTES = 600_000;
/** A picture with Brest and Strasbourg is in two files. With less than this the ground is not all there, bytes. */
export const FRANCE = [packKey({ z: 6, x: 31, y: 22 }), packKey({ z: 6, x: 33, y: 22 })];
const FRANCE_MIN_BYTES = 100_000;

/** @throws Error when a picture takes more than it should, or shows too little [POS38] */
export function requireSmallPacks(packs: readonly GroundPack[]): void {
  const large = packs.filter(({ bytes }) => bytes.length >= PICTURE_MAX_BYTES).map(({ key }) => key);
  if (large.length > 0) throw new Error(`Files of the ground are too large: ${large.join(', ')}`);
  const france = packs.filter(({ key }) => FRANCE.includes(key)).reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (france <= FRANCE_MIN_BYTES || france >= PICTURE_MAX_BYTES)
    throw new Error(`The ground of France takes ${france} bytes`);
}

function* tilesOf(layers: GroundLayers): Generator<[TileCoordinates, Uint8Array]> {
  const indexOf = (maxZoom: number, tolerance: number) =>
    Object.entries(layers).map(([name, features]) => {
      const options = { maxZoom, indexMaxZoom: GROUND_MAX_ZOOM, indexMaxPoints: 0, tolerance, buffer: BUFFER };
      return { name, index: new GeoJSONVT({ type: 'FeatureCollection', features: [...features] }, options) };
    });
  // The largest zoom of an index is not simplified at all.
  const [far, near] = [indexOf(GROUND_MAX_ZOOM, TOLERANCE), indexOf(GROUND_MAX_ZOOM + 1, NEAREST_TOLERANCE)];
  for (let z = 0; z <= GROUND_MAX_ZOOM; z += 1) {
    for (let x = 0; x < 2 ** z; x += 1) {
      for (let y = 0; y < 2 ** z; y += 1) {
        const shown = (z === GROUND_MAX_ZOOM ? near : far).flatMap(({ name, index }) => {
          const tile = index.getTile(z, x, y);
          const visible = tile === null ? null : visibleAt(z, tile);
          return visible === null ? [] : [[name, visible] as const];
        });
        if (shown.length > 0) yield [{ z, x, y }, fromGeojsonVt(Object.fromEntries(shown), TILE)];
      }
    }
  }
}

/** Returns the features drawn at that zoom, with only the properties that the style uses. */
function visibleAt(zoom: number, tile: GeoJSONVTTile): GeoJSONVTTile | null {
  const features = tile.features.filter(({ tags }) => Number(tags?.zoom) <= zoom);
  for (const one of features) one.tags = one.tags?.rank === undefined ? {} : { rank: one.tags.rank };
  return features.length === 0 ? null : Object.assign(tile, { features });
}

/** The number of tiles, then the number and length of each, then the tiles; all numbers have 32 bits. */
function packOf(tiles: readonly { id: number; tile: Uint8Array }[]): Uint8Array {
  const head = Uint32Array.from([tiles.length, ...tiles.flatMap(({ id, tile }) => [id, tile.length])]);
  return Buffer.concat([Buffer.from(head.buffer), ...tiles.map(({ tile }) => tile)]);
}
