import { encodePng, ROW_FILTER_BYTES } from '@pressel/e2e/harness/png';

type Colour = readonly [number, number, number];
/** The colour of a point; x to the right and y down, both from 0 to 1. */
type Painting = (x: number, y: number) => Colour;

const WIDTH = 640;
const HEIGHT = 420;

const mix = (a: Colour, b: Colour, part: number): Colour => {
  const p = Math.min(1, Math.max(0, part));
  return [a[0] + (b[0] - a[0]) * p, a[1] + (b[1] - a[1]) * p, a[2] + (b[2] - a[2]) * p];
};
const WATER: Colour = [92, 112, 104];
const DEEP: Colour = [48, 66, 70];
const GRASS: Colour = [96, 128, 62];
const SOIL: Colour = [128, 108, 78];
const WHITE: Colour = [244, 244, 240];
const RED: Colour = [200, 46, 38];

const rippled = (x: number, y: number): Colour => {
  const wave = Math.sin(y * 190 + Math.sin(x * 17) * 4) * Math.sin(x * 31 + y * 60);
  return mix(mix(WATER, DEEP, y), WHITE, Math.max(0, wave - 0.72));
};

/** A red and white staff in grey water, before a bank. */
const gauge: Painting = (x, y) => {
  if (x > 0.44 && x < 0.54 && y > 0.08 && y < 0.7) return Math.floor(y * 40) % 2 === 0 || x > 0.5 ? WHITE : RED;
  if (x > 0.43 && x < 0.55 && y > 0.7 && y < 0.94) return mix(rippled(x, y), WHITE, 0.25);
  return y < 0.2 + 0.03 * Math.sin(x * 9) ? mix(GRASS, SOIL, y * 4) : rippled(x, y);
};

/** A levee with its path, the river to the left, fields to the right. */
const levee: Painting = (x, y) => {
  const sky = mix([150, 178, 204], [226, 230, 226], y * 2.2);
  if (y < 0.42) return sky;
  const depth = (y - 0.42) / 0.58;
  const crest = 0.52 + 0.05 * Math.sin(y * 5);
  const side = (x - crest) / (0.08 + depth * 0.5);
  if (side < -0.75) return rippled(x, y);
  if (Math.abs(side) < 0.16) return mix([196, 184, 160], SOIL, depth * 0.4);
  return mix(GRASS, side < 0 ? [72, 104, 50] : [158, 160, 84], Math.abs(side) * 0.8);
};

/** Dusk, a quay with lamps, and the lamps in the water. */
const night: Painting = (x, y) => {
  const sky = mix([24, 30, 62], [226, 132, 84], (y / 0.5) ** 2);
  const lamp = Math.abs(((x * 7) % 1) - 0.5) * 2;
  if (y < 0.5) return y > 0.46 && lamp < 0.08 ? [255, 226, 150] : sky;
  if (y < 0.55) return [30, 28, 34];
  const glow = Math.max(0, 1 - lamp * 3) * (0.6 + 0.4 * Math.sin(y * 150 + x * 20)) * (1.2 - y);
  return mix(mix([110, 76, 74], [20, 24, 44], (y - 0.5) * 2.4), [255, 214, 130], glow);
};

/** A curve that rises, over lines of a diagram, and the mark that it comes near to. */
const chart: Painting = (x, y) => {
  if (x < 0.08 || x > 0.96 || y < 0.06 || y > 0.92) return [250, 250, 248];
  const level = 0.78 - 0.42 / (1 + Math.exp(-(x - 0.55) * 9)) + 0.008 * Math.sin(x * 60);
  if (Math.abs(y - level) < 0.009) return [26, 84, 160];
  if (Math.abs(y - 0.3) < 0.004 && Math.floor(x * 40) % 2 === 0) return RED;
  if (y > level) return [206, 222, 240];
  return Math.abs((y * 10) % 1) < 0.03 || Math.abs((x * 12) % 1) < 0.02 ? [222, 222, 220] : WHITE;
};

const PAINTINGS = { gauge, levee, night, chart } as const satisfies Record<string, Painting>;

export type PictureName = keyof typeof PAINTINGS;
export const PICTURES = Object.keys(PAINTINGS) as PictureName[];

/** A PNG, painted here: the demo takes nobody's photo. */
export function paint(name: PictureName): Buffer {
  const painting: Painting = PAINTINGS[name];
  const row = ROW_FILTER_BYTES + WIDTH * 3;
  const rows = new Uint8Array(row * HEIGHT);
  for (let line = 0; line < HEIGHT; line += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      rows.set(painting(column / WIDTH, line / HEIGHT), line * row + ROW_FILTER_BYTES + column * 3);
    }
  }
  return encodePng(WIDTH, HEIGHT, rows);
}
