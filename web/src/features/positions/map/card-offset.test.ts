import { expect, test } from 'vitest';
import { besideCard, isBehindCard } from './card-offset.ts';
import { type Camera, worldPoint, worldSize } from './mercator.ts';

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
