import { expect, test } from 'vitest';
import { isInPicture, screenPoint, worldPoint, worldSize } from './mercator.ts';

const camera = (lng: number, lat: number, zoom = 2) => ({
  center: worldPoint(lng, lat),
  zoom,
  width: 800,
  height: 600,
});

test('the middle of the world is where the equator meets Greenwich', () => {
  expect(worldPoint(0, 0)).toEqual({ x: 0.5, y: 0.5 });
  expect(worldPoint(-180, 85.051129).x).toBe(0);
  expect(worldPoint(-180, 85.051129).y).toBeCloseTo(0, 6);
  expect(worldPoint(0, 90)).toEqual(worldPoint(0, 85.051129));
});

test('what the camera looks at is in the middle of the screen', () => {
  const { x, y } = screenPoint(worldPoint(2.35, 48.85), camera(2.35, 48.85, 13));
  expect([x, y]).toEqual([400, 300]);
});

test('east is right, north is up, and one zoom doubles the way', () => {
  const near = screenPoint(worldPoint(10, 10), camera(0, 0, 2));
  const far = screenPoint(worldPoint(10, 10), camera(0, 0, 3));
  expect(near.x).toBeGreaterThan(400);
  expect(near.y).toBeLessThan(300);
  expect(far.x - 400).toBeCloseTo((near.x - 400) * 2);
  expect(near.x - 400).toBeCloseTo((10 / 360) * worldSize(2));
});

test('[POS25] beyond the antimeridian somebody is drawn beside those on this side', () => {
  const { x } = screenPoint(worldPoint(-179, 0), camera(179, 0));
  expect(x).toBeCloseTo(400 + (2 / 360) * worldSize(2));
});

test('[POS29] who is beyond an edge of the picture is not in it, who is across the antimeridian may be', () => {
  expect(isInPicture(worldPoint(2.35, 48.85), camera(2.35, 48.85, 13))).toBe(true);
  expect(isInPicture(worldPoint(-4.49, 48.39), camera(2.35, 48.85, 13))).toBe(false);
  expect(isInPicture(worldPoint(2.35, 49.85), camera(2.35, 48.85, 13))).toBe(false);
  expect(isInPicture(worldPoint(-179, 0), camera(179, 0))).toBe(true);
});
