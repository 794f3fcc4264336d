/** The nearest zoom that has tiles of its own. At nearer zooms these tiles are drawn larger. */
export const GROUND_MAX_ZOOM = 6;
/** Tiles of this zoom and the smaller ones under it are one file; those of the whole world are one more. */
const PACK_ZOOM = 4;

export interface TileCoordinates {
  z: number;
  x: number;
  y: number;
}

export const tileId = ({ z, x, y }: TileCoordinates): number => (z << 12) | (x << 6) | y;

/** Returns the key of the file that has a tile. */
export function packKey({ z, x, y }: TileCoordinates): string {
  const up = z - PACK_ZOOM;
  return up < 0 ? 'world' : `${x >> up}-${y >> up}`;
}

/** A file's tiles: how many, then the number and length of each, then their bytes; all numbers have 32 bits. */
function tilesOf(pack: ArrayBuffer): Map<number, ArrayBuffer> {
  const numbers = new DataView(pack);
  const at = (index: number) => numbers.getUint32(index * 4, true);
  const tiles = new Map<number, ArrayBuffer>();
  let start = (1 + at(0) * 2) * 4;
  for (let index = 0; index < at(0); index += 1) {
    const end = start + at(2 + index * 2);
    tiles.set(at(1 + index * 2), pack.slice(start, end));
    start = end;
  }
  return tiles;
}

const NOTHING = new ArrayBuffer(0);

export interface GroundTiles {
  /** Returns a tile; empty where there is only sea. Rejects when its file isn't there; the next tile requests it again. */
  tile(place: TileCoordinates): Promise<ArrayBuffer>;
  /** Whether a tile was missing since the last such call. */
  wasMissing(): boolean;
}

/** The tiles of the bundled map, from files that are read once each (web/vite/world-map/ground.ts). */
export function createGroundTiles(
  addresses: Readonly<Record<string, string>>,
  read: (address: string) => Promise<ArrayBuffer>,
): GroundTiles {
  const packs = new Map<string, Promise<Map<number, ArrayBuffer>>>();
  let isMissing = false;

  function packOf(address: string): Promise<Map<number, ArrayBuffer>> {
    const known = packs.get(address);
    if (known !== undefined) return known;
    const coming = read(address).then(tilesOf);
    packs.set(address, coming);
    coming.catch(() => {
      packs.delete(address);
      isMissing = true;
    });
    return coming;
  }
  return {
    async tile(place) {
      const address = addresses[packKey(place)];
      if (address === undefined) return NOTHING;
      // A tile is copied, because the receiver takes its memory.
      return (await packOf(address)).get(tileId(place))?.slice(0) ?? NOTHING;
    },
    wasMissing() {
      const was = isMissing;
      isMissing = false;
      return was;
    },
  };
}

/** @throws Error when the file isn't there */
export async function readPack(address: string): Promise<ArrayBuffer> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`No ground: ${answer.status}`);
  return answer.arrayBuffer();
}
