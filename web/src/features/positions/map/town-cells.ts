import type { Feature, Point } from 'geojson';

/** A square of the world, degrees; its west and south belong to it, its east and north to the next one. */
export interface CellSquare {
  /** Its towns are drawn from this zoom on. */
  minZoom: number;
  west: number;
  south: number;
  size: number;
}

/** A square whose towns are in a file of the build (web/vite/world-map/towns.ts). */
export interface TownCell extends CellSquare {
  address: string;
}

/** The towns of a cell from west to east, as columns, because these are smaller than rows. */
export interface TownFile {
  names: string[];
  /** Distance east of the town before, or of the cell's edge, in thousandths of a degree. */
  lngs: number[];
  /** Distance north of the cell's edge, in thousandths of a degree. */
  lats: number[];
  /** Ten times the logarithm of the population. */
  ranks: number[];
}

export type TownFeature = Feature<Point, { name: string; rank: number }>;

/** The visible part of the world, degrees. Across the antimeridian the east is beyond 180, or the west beyond -180. */
export interface SeenWorld {
  zoom: number;
  west: number;
  east: number;
  south: number;
  north: number;
}

/** Returns the cells that a view shows something of. */
export const cellsInView = <Cell extends CellSquare>(cells: readonly Cell[], seen: SeenWorld): Cell[] =>
  cells.filter(
    ({ minZoom, west, south, size }) =>
      seen.zoom >= minZoom &&
      south <= seen.north &&
      south + size > seen.south &&
      (seen.east - seen.west >= 360 ||
        eastOf(seen.west, west) <= seen.east - seen.west ||
        eastOf(west, seen.west) < size),
  );

/** Returns how far east one meridian is of another, from 0 to 360. */
const eastOf = (from: number, lng: number): number => (((lng - from) % 360) + 360) % 360;

/** Returns a file's towns with their places in the world. */
export function townsOf({ west, south }: CellSquare, { names, lngs, lats, ranks }: TownFile): TownFeature[] {
  let lng = west * 1_000;
  return names.map((name, index) => {
    lng += lngs[index] ?? 0;
    const lat = south * 1_000 + (lats[index] ?? 0);
    return {
      type: 'Feature',
      properties: { name, rank: ranks[index] ?? 0 },
      geometry: { type: 'Point', coordinates: [lng / 1_000, lat / 1_000] },
    };
  });
}

/** The towns of cells: each file is read once, and again if it didn't come. */
interface TownLoader {
  /** Undefined until it is there. */
  file(cell: TownCell): TownFile | undefined;
  /** Requests the towns of a cell unless they are there. `onCame` is called when they come, and never if they don't. */
  load(cell: TownCell, onCame: () => void): void;
}

/** Keeps what has come for as long as the map is open, because users who look around come back. */
export function createTownLoader(read: (address: string) => Promise<TownFile>): TownLoader {
  const there = new Map<string, TownFile>();
  const awaited = new Map<string, Promise<void>>();

  async function fetchFile(address: string): Promise<void> {
    try {
      there.set(address, await read(address));
    } finally {
      awaited.delete(address);
    }
  }
  return {
    file: ({ address }) => there.get(address),
    load({ address }, onCame) {
      if (there.has(address)) return;
      const coming = awaited.get(address) ?? fetchFile(address);
      awaited.set(address, coming);
      // A map without some of its towns is still useful: the next move requests them again.
      coming.then(onCame, () => undefined);
    },
  };
}

/** @throws Error when the file isn't there */
export async function readTowns(address: string): Promise<TownFile> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`No towns: ${answer.status}`);
  return answer.json();
}
