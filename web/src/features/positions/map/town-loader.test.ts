import { expect, test, vi } from 'vitest';
import type { TownFile } from './town-cells.ts';
import { createTownLoader, readTowns } from './town-loader.ts';

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
