import { expect, test, vi } from 'vitest';
import { createMapScale, distanceText, scaleOf } from './map-scale.ts';
import { metresPerPixel, worldPoint } from './mercator.ts';

const camera = (zoom: number, lat = 47.6) => ({ center: worldPoint(1.3, lat), zoom, width: 800, height: 600 });
/** Languages use different spaces between figures and units. */
const plain = (text: string) => text.replaceAll(/\s/gu, ' ');

test('a pixel is as many metres as the world is wide there', () => {
  expect(metresPerPixel(camera(0, 0))).toBeCloseTo(40_075_017 / 512, 3);
  expect(metresPerPixel(camera(10, 60))).toBeCloseTo(40_075_017 / 512 / 1_024 / 2, 3);
});

test('the distance is the longest round one that has room', () => {
  expect(scaleOf(1)).toEqual({ metres: 100, px: 100 });
  expect(scaleOf(0.999)).toEqual({ metres: 50, px: 50 });
  expect(scaleOf(50)).toEqual({ metres: 5_000, px: 100 });
  expect(scaleOf(19.9)).toEqual({ metres: 1_000, px: 50 });
  expect(scaleOf(20)).toEqual({ metres: 2_000, px: 100 });
  for (let zoom = 0; zoom <= 25; zoom += 0.1) {
    const { metres, px } = scaleOf(metresPerPixel(camera(zoom)));
    expect(px).toBeGreaterThanOrEqual(40);
    expect(px).toBeLessThanOrEqual(100);
    expect(String(metres).replaceAll(/[0.]/gu, '')).toMatch(/^[125]$/u);
  }
});

test('a distance is said in the units and figures of the language', () => {
  expect(plain(distanceText(2_000, 'fr'))).toBe('2 km');
  expect(plain(distanceText(5_000_000, 'fr'))).toBe('5 000 km');
  expect(plain(distanceText(5_000_000, 'en'))).toBe('5,000 km');
  expect(plain(distanceText(500, 'de'))).toBe('500 m');
  expect(plain(distanceText(0.2, 'fr'))).toBe('20 cm');
});

test('a scale is told when it looks different, and not while the map rests or goes east', () => {
  let seen = camera(10);
  const scale = createMapScale(() => seen);
  const told = vi.fn();
  const stop = scale.subscribe(told);
  const first = scale.getSnapshot();
  scale.update();
  seen = { ...seen, center: worldPoint(20, 47.6) };
  scale.update();
  expect(told).not.toHaveBeenCalled();
  expect(scale.getSnapshot()).toBe(first);
  seen = camera(11);
  scale.update();
  expect(told).toHaveBeenCalledTimes(1);
  expect(scale.getSnapshot().metres).toBeLessThan(first.metres);
  stop();
  seen = camera(12);
  scale.update();
  expect(told).toHaveBeenCalledTimes(1);
});
