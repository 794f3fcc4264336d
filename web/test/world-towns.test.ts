import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type CellSquare, type TownCell, townsOf } from '../src/features/positions/map/town-cells.ts';
import { type Town, townCells, townFile, towns } from '../vite/world-map/towns.ts';
import { labels } from '../vite/world-map/world-map.ts';

const all = towns();
const cells = townCells(all);
const town = (name: string, lng: number, lat: number, rank = 30): Town => ({ name, lng, lat, rank });
const lineOf = (name: string, lng: number, lat: number, rank: number) => `${name} ${lng} ${lat} ${rank}`;

test('every town is in one file of one cell, where it is in the world', () => {
  const isInside = (cell: CellSquare, lng: number, lat: number) =>
    lng >= cell.west && lng < cell.west + cell.size && lat >= cell.south && lat < cell.south + cell.size;
  // An assertion for each of 130,000 towns takes seconds.
  const outside: string[] = [];
  const written = cells.flatMap((cell) =>
    townsOf(cell, JSON.parse(JSON.stringify(townFile(cell)))).map(({ properties: { name, rank }, geometry }) => {
      const [lng = 0, lat = 0] = geometry.coordinates;
      if (!isInside(cell, lng, lat)) outside.push(name);
      return lineOf(name, Math.round(lng * 1_000), Math.round(lat * 1_000), rank);
    }),
  );
  expect(outside).toEqual([]);
  expect(written.length).toBeGreaterThan(130_000);
  const wanted = all.map(({ name, lng, lat, rank }) => lineOf(name, lng, lat, rank)).toSorted();
  expect(written.length).toBe(wanted.length);
  expect(written.toSorted().filter((line, index) => line !== wanted[index])).toEqual([]);
});

test('no file is large, and they are few', () => {
  const largest = cells.toSorted((one, other) => other.towns.length - one.towns.length).slice(0, 12);
  for (const cell of largest) {
    expect(brotliCompressSync(JSON.stringify(townFile(cell))).length).toBeLessThan(20_000);
  }
  expect(cells.length).toBeLessThan(250);
});

test('what is at an edge belongs to one cell', () => {
  const edges = [town('east', 180_000 - 360_000, 0), town('west', -180_000, 0), town('corner', 30_000, 30_000)];
  const poles = [town('north', 0, 89_999), town('south', 0, -90_000)];
  const found = townCells([...edges, ...poles]).flatMap((cell) => cell.towns.map(({ name }) => name));
  expect(found.toSorted()).toEqual(['corner', 'east', 'north', 'south', 'west']);
});

test('more than a file takes are divided, and larger towns come with larger cells', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => town(`t${index}`, index, index));
  const divided = townCells([...many, town('large', 1_000, 1_000, 45)]);
  const [large, ...small] = divided as [TownCell & { towns: Town[] }, ...typeof divided];
  expect(large).toMatchObject({ minZoom: 6, west: 0, south: -30, size: 60 });
  expect(small.length).toBeGreaterThan(2);
  expect(small.every(({ minZoom, towns: { length } }) => minZoom > 6 && length <= 2_000)).toBe(true);
});

test('a city that the map names already is no town, and a part of one is a small town', () => {
  const names = new Set(all.map(({ name, lng, lat }) => `${name} ${lng} ${lat}`));
  const twice = labels('en').features.filter(({ properties, geometry }) => {
    const [lng = 0, lat = 0] = geometry.type === 'Point' ? geometry.coordinates : [];
    return properties?.kind !== 'country' && names.has(`${properties?.name} ${lng * 1_000} ${lat * 1_000}`);
  });
  expect(twice).toEqual([]);
  const ranks = (name: string) => all.filter((one) => one.name === name).map(({ rank }) => rank);
  expect(ranks('Blois')).toEqual([47]);
  expect(ranks('Lyon')).toEqual([]);
  expect(ranks('Brooklyn').filter((rank) => rank > 40)).toEqual([]);
});
