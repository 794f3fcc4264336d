import { expect, test, vi } from 'vitest';
import { cellsInView, createTownLoader, readTowns, type TownFile, townsOf } from './town-cells.ts';

/** The world in squares of 30 degrees. */
const WORLD = Array.from({ length: 12 * 6 }, (_, index) => ({
  ...{ minZoom: 6, size: 30, west: -180 + 30 * (index % 12), south: -90 + 30 * Math.floor(index / 12) },
}));
const seen = (west: number, east: number, south: number, north: number, zoom = 8) =>
  cellsInView(WORLD, { west, east, south, north, zoom })
    .map((cell) => `${cell.west},${cell.south}`)
    .toSorted();

test('a view needs the cells that it shows something of', () => {
  expect(seen(1, 2, 47, 48)).toEqual(['0,30']);
  expect(seen(-1, 2, 47, 48)).toEqual(['-30,30', '0,30']);
  expect(seen(29, 31, 59, 61)).toEqual(['0,30', '0,60', '30,30', '30,60']);
  // An edge belongs to the cell east or north of it.
  expect(seen(30, 31, 30, 31)).toEqual(['30,30']);
});

test('what is not zoomed in to needs none', () => {
  expect(seen(1, 2, 47, 48, 5.9)).toEqual([]);
  expect(seen(1, 2, 47, 48, 6)).toEqual(['0,30']);
});

test('a view across the antimeridian needs both of its sides, however it is counted', () => {
  const both = ['-180,0', '150,0'];
  expect(seen(179, 181, 1, 2)).toEqual(both);
  expect(seen(-181, -179, 1, 2)).toEqual(both);
  expect(seen(539, 541, 1, 2)).toEqual(both);
  expect(seen(181, 182, 1, 2)).toEqual(['-180,0']);
  expect(seen(-182, -181, 1, 2)).toEqual(['150,0']);
});

test('at the poles a view goes beyond the world, which ends there', () => {
  expect(seen(1, 2, 84, 91)).toEqual(['0,60']);
  expect(seen(1, 2, -91, -84)).toEqual(['0,-90']);
});

test('a view around the world needs all of it', () => {
  expect(seen(-200, 170, 1, 2)).toHaveLength(12);
  expect(seen(0, 720, 1, 2)).toHaveLength(12);
  // From one cell around the world into itself.
  expect(seen(20, 375, 1, 2)).toHaveLength(12);
});

test('towns of a file are counted from its cell', () => {
  const file = { names: ['Blois', 'Orléans'], lngs: [1_329, 575], lats: [2_594, 2_903], ranks: [47, 51] };
  expect(
    townsOf({ minZoom: 6, west: 0, south: 45, size: 15 }, file).map(({ properties, geometry }) => [
      properties,
      geometry.coordinates,
    ]),
  ).toEqual([
    [{ name: 'Blois', rank: 47 }, [1.329, 47.594]],
    [{ name: 'Orléans', rank: 51 }, [1.904, 47.903]],
  ]);
});

const FILE: TownFile = { names: ['Blois'], lngs: [1_329], lats: [2_594], ranks: [47] };
const CELL = { minZoom: 6, west: 0, south: 45, size: 15, address: '/a.json' };
const settled = () => new Promise((resolve) => setTimeout(resolve));

test('a cell is read once, however often it is asked for', async () => {
  const read = vi.fn(async () => FILE);
  const loader = createTownLoader(read);
  const onCame = vi.fn();
  expect(loader.file(CELL)).toBeUndefined();
  loader.load(CELL, onCame);
  loader.load(CELL, onCame);
  await settled();
  expect(loader.file(CELL)).toBe(FILE);
  expect(onCame).toHaveBeenCalled();
  loader.load(CELL, onCame);
  await settled();
  expect(read.mock.calls).toEqual([['/a.json']]);
});

test('one that did not come is read again when it is asked for again, and breaks nothing', async () => {
  const read = vi.fn(async () => FILE);
  read.mockRejectedValueOnce(new Error('out of reach'));
  const loader = createTownLoader(read);
  const onCame = vi.fn();
  loader.load(CELL, onCame);
  await settled();
  expect(onCame).not.toHaveBeenCalled();
  expect(loader.file(CELL)).toBeUndefined();
  expect(read).toHaveBeenCalledTimes(1);
  loader.load(CELL, onCame);
  await settled();
  expect(onCame).toHaveBeenCalledTimes(1);
  expect(loader.file(CELL)).toBe(FILE);
});

test('an answer that is no file of towns is none', async () => {
  vi.stubGlobal('fetch', async () => new Response('gone', { status: 404 }));
  await expect(readTowns('/a.json')).rejects.toThrow('404');
  vi.unstubAllGlobals();
});
