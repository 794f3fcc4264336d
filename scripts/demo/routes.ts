/** Degrees, WGS 84. */
export interface GeoPoint {
  lat: number;
  lng: number;
}

/** Montlouis, longitude first: as the server's MAP_CENTER. */
export const MAP_CENTER = '0.81,47.396';

const METRES_PER_DEGREE = 111_320;

/**
 * Roads, levees and the river between Orléans and Saumur: `[lat, lng]`. Those of Tours and Amboise begin at Montlouis, where
 * the map does: whoever opens it sees people at once.
 */
const COURSES = {
  orleans: [
    [47.8986, 1.904],
    [47.8932, 1.8702],
    [47.8841, 1.8383],
    [47.8722, 1.7955],
    [47.8585, 1.7529],
    [47.8427, 1.7241],
    [47.8245, 1.6975],
    [47.8012, 1.6668],
    [47.7785, 1.6345],
  ],
  blois: [
    [47.7785, 1.6345],
    [47.7521, 1.6102],
    [47.7198, 1.5848],
    [47.6945, 1.5571],
    [47.6719, 1.5268],
    [47.6583, 1.4897],
    [47.6341, 1.4372],
    [47.6102, 1.3868],
    [47.5855, 1.337],
    [47.5561, 1.3055],
    [47.5233, 1.2789],
  ],
  amboise: [
    [47.3927, 0.8311],
    [47.4012, 0.8821],
    [47.4068, 0.9332],
    [47.4135, 0.9845],
    [47.4301, 1.0268],
    [47.4475, 1.0721],
    [47.4667, 1.1294],
    [47.4798, 1.1832],
    [47.4971, 1.2573],
    [47.5233, 1.2789],
  ],
  tours: [
    [47.3927, 0.8311],
    [47.4015, 0.7829],
    [47.4005, 0.7402],
    [47.3985, 0.687],
    [47.3961, 0.6542],
    [47.3884, 0.6031],
    [47.3789, 0.5551],
    [47.3612, 0.5063],
    [47.3437, 0.4582],
    [47.3231, 0.4053],
  ],
  saumur: [
    [47.2952, 0.3549],
    [47.2803, 0.2868],
    [47.2581, 0.2197],
    [47.2354, 0.1236],
    [47.2166, 0.0582],
    [47.2338, 0.0121],
    [47.2487, -0.0349],
    [47.2605, -0.0735],
    [47.2849, -0.1208],
    [47.3121, -0.1774],
    [47.3419, -0.2323],
  ],
} as const satisfies Record<string, readonly (readonly [number, number])[]>;

export type CourseName = keyof typeof COURSES;

/** Somebody's way: up and down a course, or, without speed, the place where they began. */
export interface Course {
  name: CourseName;
  /** Their distance from its beginning at the moment 0, metres. */
  begin: number;
  /** Metres a second. */
  speed: number;
}

/** Returns where somebody on a course is, ms after (or before) the moment 0. */
export function pointAt({ name, begin, speed }: Course, ms: number): GeoPoint {
  const points = COURSES[name];
  const legs = points.slice(1).map((to, index) => ({ from: points[index] ?? to, to }));
  const lengths = legs.map(({ from, to }) => metresBetween(from, to));
  const length = lengths.reduce((sum, leg) => sum + leg, 0);
  // The way leads there and back again, for ever.
  const gone = (((begin + (speed * ms) / 1_000) % (2 * length)) + 2 * length) % (2 * length);
  let left = gone <= length ? gone : 2 * length - gone;
  for (const [index, { from, to }] of legs.entries()) {
    const leg = lengths[index] ?? 0;
    if (left <= leg) {
      const part = leg === 0 ? 0 : left / leg;
      return { lat: from[0] + (to[0] - from[0]) * part, lng: from[1] + (to[1] - from[1]) * part };
    }
    left -= leg;
  }
  const [lat, lng] = points[points.length - 1] ?? points[0];
  return { lat, lng };
}

/** Distance on a plane: over a few kilometres nobody sees the difference. */
export function metresBetween(from: readonly [number, number], to: readonly [number, number]): number {
  const north = to[0] - from[0];
  const east = (to[1] - from[1]) * Math.cos((from[0] * Math.PI) / 180);
  return Math.hypot(north, east) * METRES_PER_DEGREE;
}
