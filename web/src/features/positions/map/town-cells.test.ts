import { expect, test } from 'vitest';
import { cellsInView, townsOf } from './town-cells.ts';

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
