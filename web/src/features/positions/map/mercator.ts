/** A point of the flat world: x and y from 0 to 1, y downwards. */
export interface WorldPoint {
  readonly x: number;
  readonly y: number;
}

/** Width of the world at zoom 0, px. */
const TILE_PX = 512;
/** Beyond this latitude the world is no longer square. */
const MAX_LAT = 85.051_129;

export function worldPoint(lng: number, lat: number): WorldPoint {
  const clamped = Math.max(-MAX_LAT, Math.min(MAX_LAT, lat));
  const sine = Math.sin((clamped * Math.PI) / 180);
  return { x: lng / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** Returns the same longitude, counted so that it is within half a world of another one. */
export const lngBeside = (lng: number, other: number): number => lng + 360 * Math.round((other - lng) / 360);

/** Width of the world, px. */
export const worldSize = (zoom: number): number => TILE_PX * 2 ** zoom;

/** The part of the world that is seen; north is up. */
export interface Camera {
  readonly center: WorldPoint;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/** Returns a point's place on the screen, in the copy of the world that is nearest to the middle. */
export function screenPoint({ x, y }: WorldPoint, { center, zoom, width, height }: Camera): { x: number; y: number } {
  const size = worldSize(zoom);
  const east = x - center.x;
  return { x: width / 2 + (east - Math.round(east)) * size, y: height / 2 + (y - center.y) * size };
}

/** Whether a point is in the picture. */
export function isInPicture(point: WorldPoint, camera: Camera): boolean {
  const { x, y } = screenPoint(point, camera);
  return x >= 0 && x <= camera.width && y >= 0 && y <= camera.height;
}

const EQUATOR_METRES = 40_075_017;

/** Measured in the middle of the picture: the farther from the equator, the larger the world is drawn. */
export const metresPerPixel = ({ center, zoom }: Camera): number =>
  EQUATOR_METRES / Math.cosh(Math.PI * (1 - 2 * center.y)) / worldSize(zoom);

/** The card of the chosen person, at the lower left; across all of a narrow map, px. */
const CARD = { width: 390, height: 200 };
const NARROW_PX = 760;
/** On a map lower than this, the card takes all of the height, and at most this part of the width (positions.module.css), px. */
const LOW_PX = 260;
const LOW_CARD = { width: 460, part: 0.5 };
const MARKER_PX = 40;

const isLow = ({ height }: Camera): boolean => height < LOW_PX;
const lowWidth = ({ width }: Camera): number => Math.min(LOW_CARD.width, width * LOW_CARD.part);

/**
 * Returns how far beside the middle the map shows a person, px: in the space that the card leaves free on a low or
 * narrow map.
 */
export function besideCard(camera: Camera): [number, number] {
  if (isLow(camera)) return [lowWidth(camera) / 2, 0];
  return [0, camera.width < NARROW_PX ? -camera.height / 4 : 0];
}

export function isBehindCard(person: WorldPoint, camera: Camera): boolean {
  const { x, y } = screenPoint(person, camera);
  if (isLow(camera)) return x < lowWidth(camera) + MARKER_PX / 2;
  return y > camera.height - CARD.height && (camera.width < NARROW_PX || x < CARD.width);
}
