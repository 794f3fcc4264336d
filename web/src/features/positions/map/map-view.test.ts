import { expect, test } from 'vitest';
import { boundsOf } from './map-view.ts';
import { lineOf } from './trail-layers.ts';

const at = (lng: number, lat: number) => ({ lng, lat });

test('the part of the world that people are in has its corners at the outermost of them', () => {
  expect(boundsOf([at(2, 48), at(-4, 50), at(7, 43)])).toEqual([
    [-4, 43],
    [7, 50],
  ]);
  // Rounding must not put the two beside each other, which MapLibre can't fit.
  expect(boundsOf([at(-4.49, 48.39)])).toEqual([
    [-4.49, 48.39],
    [-4.49, 48.39],
  ]);
  expect(boundsOf([])).toBeNull();
});

test('[POS25] people on both sides of the antimeridian are shown near each other, not around the world', () => {
  expect(boundsOf([at(179.9, 10), at(-179.9, 11)])).toEqual([
    [179.9, 10],
    [expect.closeTo(180.1, 9), 11],
  ]);
  expect(boundsOf([at(-170, 0), at(20, 0), at(175, 0)])).toEqual([
    [20, 0],
    [190, 0],
  ]);
});

test('[POS25] a way across the antimeridian goes on beyond it', () => {
  const { coordinates } = lineOf([
    [179, 10, 1],
    [-179, 11, 2],
    [178, 12, 3],
  ] as never).geometry;
  expect(coordinates).toEqual([
    [179, 10],
    [181, 11],
    [178, 12],
  ]);
});
