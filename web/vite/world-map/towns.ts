import type { CellSquare, TownFile } from '../../src/features/positions/map/town-cells.ts';
import { type City, cities, isLabelled, isPartOfCity, thousandths } from './cities.ts';

export interface Town {
  name: string;
  /** Thousandths of a degree. */
  lng: number;
  lat: number;
  rank: number;
}

/** Places that were abandoned, destroyed, or are historical. */
const GONE = ['PPLH', 'PPLCH', 'PPLQ', 'PPLW'];
/** 10,000 people: the least that is drawn at the lower zooms (bundled-style.ts). */
const LARGE_RANK = 40;
/** Parts of cities come with the smallest towns (bundled-style.ts), whatever their population. */
const PART_MAX_RANK = 31;
/** The maximum of towns in a cell: 16 kB as sent. */
const CELL_MAX = 2_000;
/** The size of cells, degrees, which are divided until no part has too many. Both divide the world. */
const LARGE_CELL = 60;
const SMALL_CELL = 30;
const LARGE_ZOOM = 6;
const SMALL_ZOOM = 8;

function rankOf(city: City): number {
  const rank = city.population < 1 ? 0 : Math.round(Math.log10(city.population) * 10);
  return isPartOfCity(city) ? Math.min(rank, PART_MAX_RANK) : rank;
}

/** All towns that the labels of cities don't name already, with their local names. */
export const towns = (): Town[] =>
  cities
    .filter((city) => !isLabelled(city) && !GONE.includes(city.featureCode))
    .map((city) => {
      const [lng, lat] = city.loc.coordinates;
      // 180° east is 180° west, and the pole belongs to the northernmost cell.
      const east = thousandths(lng) >= 180_000 ? thousandths(lng) - 360_000 : thousandths(lng);
      return { name: city.name, lng: east, lat: Math.min(89_999, thousandths(lat)), rank: rankOf(city) };
    });

export interface FilledCell extends CellSquare {
  towns: Town[];
}

/** Puts each town into one cell, the larger ones into larger cells; none is empty. */
export function townCells(all: readonly Town[]): FilledCell[] {
  const isLarge = ({ rank }: Town) => rank >= LARGE_RANK;
  const large = { minZoom: LARGE_ZOOM, west: -180, south: -90, size: LARGE_CELL };
  const small = { minZoom: SMALL_ZOOM, west: -180, south: -90, size: SMALL_CELL };
  return [
    ...grid(all.filter(isLarge), large),
    ...grid(
      all.filter((town) => !isLarge(town)),
      small,
    ),
  ];
}

/** Returns a cell and its neighbours as far as the world goes east and north. */
function grid(all: readonly Town[], first: CellSquare): FilledCell[] {
  const cells: FilledCell[] = [];
  for (let south = first.south; south < 90; south += first.size) {
    for (let west = first.west; west < 180; west += first.size) cells.push(...divided(all, { ...first, west, south }));
  }
  return cells;
}

function divided(all: readonly Town[], cell: CellSquare): FilledCell[] {
  const inside = all.filter((town) => isIn(cell, town));
  if (inside.length === 0) return [];
  if (inside.length <= CELL_MAX) return [{ ...cell, towns: inside }];
  const size = cell.size / 2;
  const [west, south] = [cell.west + size, cell.south + size];
  return [
    { ...cell, size },
    { ...cell, size, west },
    { ...cell, size, south },
    { ...cell, size, west, south },
  ].flatMap((quarter) => divided(inside, quarter));
}

const isIn = ({ west, south, size }: CellSquare, { lng, lat }: Town): boolean =>
  lng >= west * 1_000 && lng < (west + size) * 1_000 && lat >= south * 1_000 && lat < (south + size) * 1_000;

export function townFile({ west, south, towns: inside }: FilledCell): TownFile {
  const sorted = inside.toSorted((one, other) => one.lng - other.lng);
  return {
    names: sorted.map(({ name }) => name),
    lngs: sorted.map(({ lng }, index) => lng - (sorted[index - 1]?.lng ?? west * 1_000)),
    lats: sorted.map(({ lat }) => lat - south * 1_000),
    ranks: sorted.map(({ rank }) => rank),
  };
}
