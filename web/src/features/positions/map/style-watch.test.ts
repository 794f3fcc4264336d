import type { SourceSpecification } from 'maplibre-gl';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createStyleWatch, isBlank } from './style-watch.ts';

const SOURCES: Record<string, SourceSpecification> = {
  imagery: { type: 'raster', tiles: ['https://maps.example.org/{z}/{x}/{y}.png'] },
  streets: { type: 'vector', url: 'https://maps.example.org/streets.json' },
  trail: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
};
const PATIENCE_MS = 10_000;
const settled = new Set<string>();
let givenUp = 0;
const watch = () =>
  createStyleWatch({
    sources: () => SOURCES,
    isSettled: (sourceId) => settled.has(sourceId),
    onGivenUp: () => {
      givenUp += 1;
    },
  });

beforeEach(() => {
  vi.useFakeTimers();
  settled.clear();
  givenUp = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

test('[POS28] a style is given up when nothing of its data came and the last of it failed, once', () => {
  const style = watch();
  style.came();
  style.drew('trail');
  settled.add('imagery');
  style.failed('imagery');
  expect(givenUp).toBe(0);
  settled.add('streets');
  style.settled();
  expect(givenUp).toBe(1);
  style.failed('streets');
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(givenUp).toBe(1);
});

test('[POS28] one tile keeps a style, whatever fails later; so does a fault of something else than its data', () => {
  const style = watch();
  style.came();
  settled.add('imagery').add('streets');
  style.failed(undefined);
  style.failed('trail');
  style.settled();
  expect(givenUp).toBe(0);
  style.drew('imagery');
  style.failed('streets');
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(givenUp).toBe(0);
});

test('[POS28] data that are neither there nor refused are waited for as long as the style is, while the page is seen', () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  onTestFinished(() => hidden.mockRestore());
  const style = watch();
  style.came();
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(givenUp).toBe(0);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  vi.advanceTimersByTime(PATIENCE_MS - 1);
  expect(givenUp).toBe(0);
  vi.advanceTimersByTime(1);
  expect(givenUp).toBe(1);
});

test('[POS28] a style is given up when the map is at rest and not one of the tiles that were asked for is there', () => {
  const style = watch();
  style.came();
  settled.add('imagery').add('streets');
  style.asked('trail');
  style.settled();
  expect(givenUp, 'no tile was asked for at this zoom').toBe(0);
  style.asked('imagery');
  settled.delete('imagery');
  style.settled();
  expect(givenUp, 'one is awaited').toBe(0);
  settled.add('imagery');
  style.settled();
  expect(givenUp).toBe(1);
});

test('[POS28] missing tiles are told of when the time is up, should the map not say that it is at rest', () => {
  const style = watch();
  style.came();
  settled.add('imagery').add('streets');
  style.asked('imagery');
  vi.advanceTimersByTime(PATIENCE_MS - 1);
  expect(givenUp).toBe(0);
  vi.advanceTimersByTime(1);
  expect(givenUp).toBe(1);
});

test('[POS28] one tile keeps a style whose other tiles are missing', () => {
  const style = watch();
  style.came();
  settled.add('imagery').add('streets');
  style.asked('imagery');
  style.drew('imagery');
  style.asked('imagery');
  style.settled();
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(givenUp).toBe(0);
});

test('a tile is blank that came without data; what was drawn of anything else is not', () => {
  expect(isBlank('vector', {})).toBe(true);
  expect(isBlank('vector', { latestRawTileData: new ArrayBuffer(0) })).toBe(true);
  expect(isBlank('vector', { latestRawTileData: new ArrayBuffer(9) })).toBe(false);
  expect(isBlank('raster', { texture: { size: [1, 1] } })).toBe(true);
  expect(isBlank('raster', { texture: { size: [256, 256] } })).toBe(false);
  expect(isBlank('geojson', {})).toBe(false);
});

test('[POS28] a style without anything to bring is not waited for; one that does not come is given up', () => {
  const style = watch();
  style.came();
  settled.add('imagery').add('streets');
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(givenUp).toBe(0);
  style.close();
  watch();
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(givenUp).toBe(1);
});

test('nothing is given up after the map was closed', () => {
  const style = watch();
  style.close();
  style.close();
  style.failed(undefined);
  document.dispatchEvent(new Event('visibilitychange'));
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(givenUp).toBe(0);
});
