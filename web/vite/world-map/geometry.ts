import type { Feature, MultiLineString, MultiPolygon, Point, Polygon, Position } from 'geojson';

/** About a hundred metres: finer than the data. */
const DECIMALS = 1_000;
/** The number of horizontal cuts among which the widest place of a shape is looked for. */
const CUTS = 24;

/**
 * Returns a ring that crosses the antimeridian without its jump: it goes on beyond ±180°, where a flat map draws it in
 * two places. A ring around a pole gets an edge along it.
 */
export function unwrapRing(ring: readonly Position[]): Position[] {
  const first = ring[0];
  if (first === undefined) return [];
  const unwrapped: Position[] = [first];
  let offset = 0;
  ring.slice(1).forEach(([lng = 0, lat = 0], index) => {
    const before = ring[index]?.[0] ?? 0;
    if (lng - before > 180) offset -= 360;
    else if (lng - before < -180) offset += 360;
    unwrapped.push([lng + offset, lat]);
  });
  return offset === 0 ? unwrapped : closeOverPole(ring);
}

function closeOverPole(ring: readonly Position[]): Position[] {
  const jump = ring.findIndex(([lng = 0], index) => index > 0 && Math.abs(lng - (ring[index - 1]?.[0] ?? 0)) > 180);
  const points = [...ring.slice(jump, -1), ...ring.slice(0, jump)];
  const [firstLng = 0, firstLat = 0] = points[0] ?? [];
  const [, lastLat = 0] = points.at(-1) ?? [];
  const side = Math.sign(firstLng) * 180;
  const lat = (firstLat + lastLat) / 2;
  const pole = lat < 0 ? -90 : 90;
  return [[side, lat], ...points, [-side, lat], [-side, pole], [side, pole], [side, lat]];
}

const isAtPole = (ring: readonly Position[]): boolean => ring.every(([, lat = 0]) => Math.abs(lat) > 89);

const polygonsOf = (shape: Polygon | MultiPolygon): Position[][][] =>
  shape.type === 'Polygon' ? [shape.coordinates] : shape.coordinates;

/** Land without jumps, rounded. */
export const landOf = (shapes: readonly (Polygon | MultiPolygon)[]): Feature<MultiPolygon> => ({
  type: 'Feature',
  properties: {},
  geometry: {
    type: 'MultiPolygon',
    coordinates: shapes
      .flatMap(polygonsOf)
      .map((rings) => rings.filter((ring) => !isAtPole(ring)).map((ring) => rounded(unwrapRing(ring))))
      .filter((rings) => rings.length > 0),
  },
});

/** Lines cut where they jump from one edge of the map to the other. */
export const linesOf = (lines: MultiLineString): Feature<MultiLineString> => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'MultiLineString', coordinates: lines.coordinates.flatMap(cutLine).map(rounded) },
});

function cutLine(line: readonly Position[]): Position[][] {
  const parts: Position[][] = [[]];
  line.forEach((point, index) => {
    const [lng = 0] = point;
    const [before = lng] = line[index - 1] ?? [];
    if (Math.abs(lng - before) > 180) parts.push([]);
    parts.at(-1)?.push(point);
  });
  return parts.filter((part) => part.length > 1);
}

function rounded(points: readonly Position[]): Position[] {
  const round = (degrees: number) => Math.round(degrees * DECIMALS) / DECIMALS;
  const all = points.map(([lng = 0, lat = 0]): Position => [round(lng), round(lat)]);
  return all.filter(
    ([lng, lat], index) =>
      index === 0 || index === all.length - 1 || lng !== all[index - 1]?.[0] || lat !== all[index - 1]?.[1],
  );
}

/** Returns the best place for a name: the middle of the widest place of the largest part. */
export function labelPoint(shape: Polygon | MultiPolygon): { point: Point; area: number } {
  const largest = polygonsOf(shape)
    .map(([outer = []]) => unwrapRing(outer))
    .map((ring) => ({ ring, area: areaOf(ring) }))
    .reduce((a, b) => (b.area > a.area ? b : a));
  return { point: { type: 'Point', coordinates: widestPlace(largest.ring) }, area: largest.area };
}

/** The area in square degrees, which are narrower towards the poles. */
function areaOf(ring: readonly Position[]): number {
  let sum = 0;
  ring.forEach(([lng = 0, lat = 0], index) => {
    const [nextLng = 0, nextLat = 0] = ring[(index + 1) % ring.length] ?? [];
    sum += lng * nextLat - nextLng * lat;
  });
  const middle = ring.reduce((total, [, lat = 0]) => total + lat, 0) / ring.length;
  return Math.abs(sum / 2) * Math.cos((middle * Math.PI) / 180);
}

function widestPlace(ring: readonly Position[]): Position {
  const lats = ring.map(([, lat = 0]) => lat);
  const [south, north] = [Math.min(...lats), Math.max(...lats)];
  let best = { width: -1, at: [0, 0] as Position };
  for (let cut = 1; cut < CUTS; cut += 1) {
    const lat = south + ((north - south) * cut) / CUTS;
    // Cuts near the top or the bottom count less, because a name needs some space above and below.
    const roominess = Math.min(cut, CUTS - cut) / CUTS;
    const crossings = crossingsAt(ring, lat);
    for (let index = 0; index + 1 < crossings.length; index += 2) {
      const [west = 0, east = 0] = crossings.slice(index, index + 2);
      const width = (east - west) * (0.5 + roominess);
      if (width > best.width) best = { width, at: [(west + east) / 2, lat] };
    }
  }
  return rounded([best.at])[0] ?? [0, 0];
}

function crossingsAt(ring: readonly Position[], lat: number): number[] {
  const found: number[] = [];
  ring.forEach(([lngA = 0, latA = 0], index) => {
    const [lngB = 0, latB = 0] = ring[(index + 1) % ring.length] ?? [];
    if (latA > lat !== latB > lat) found.push(lngA + ((lat - latA) / (latB - latA)) * (lngB - lngA));
  });
  return found.sort((a, b) => a - b);
}
