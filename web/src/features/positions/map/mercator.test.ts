import { expect, test } from 'vitest';
import { besideCard, type Camera, isBehindCard, isInPicture, screenPoint, worldPoint, worldSize } from './mercator.ts';

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

const ZOOM = 13;
const cameraOf = (width: number, height: number): Camera => ({
  ...{ center: worldPoint(2.35, 48.85), zoom: ZOOM, width, height },
});
/** Places somebody so many pixels from the map's middle. */
function at(camera: Camera, [right, down]: readonly [number, number]) {
  const { x, y } = camera.center;
  return { x: x + right / worldSize(camera.zoom), y: y + down / worldSize(camera.zoom) };
}

test.each([
  ['high and wide', 1200, 800],
  ['high and narrow', 390, 700],
  ['low and wide', 1000, 140],
  ['low and narrow', 557, 190],
])('[POS23] on a map that is %s, who is gone to is beside their card', (_, width, height) => {
  const camera = cameraOf(width, height);
  const [right, down] = besideCard(camera);
  expect(isBehindCard(at(camera, [right, down]), camera)).toBe(false);
  expect(Math.abs(right)).toBeLessThan(width / 2 - 40);
  expect(Math.abs(down)).toBeLessThan(height / 2 - 40);
});

test('[POS23] what the card hides', () => {
  const wide = cameraOf(1200, 800);
  expect(isBehindCard(at(wide, [-500, 300]), wide)).toBe(true);
  expect(isBehindCard(at(wide, [-500, -300]), wide)).toBe(false);
  expect(isBehindCard(at(wide, [300, 300]), wide)).toBe(false);
  const low = cameraOf(1000, 140);
  expect(isBehindCard(at(low, [-60, -60]), low), 'its whole height').toBe(true);
  expect(isBehindCard(at(low, [0, 0]), low)).toBe(false);
});
