import { type Camera, screenPoint, type WorldPoint } from './mercator.ts';

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
