import { encodePng, ROW_FILTER_BYTES } from '@pressel/e2e/harness/png';

/** This many rows of noise repeat: as slow to decode as any picture, and still a small file. */
const ROWS_OF_NOISE = 8;

/** A PNG of 24 bits a pixel, of noise that repeats. */
export function noisyPng(width: number, height: number): Buffer {
  const row = ROW_FILTER_BYTES + width * 3;
  const pixels = Buffer.alloc(row * height);
  let seed = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    if (at >= row * ROWS_OF_NOISE) break;
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    // The first byte of a row names its filter: 2 adds the row above, which is work for the decoder.
    pixels[at] = at % row === 0 ? 2 : (seed >> 16) & 7;
  }
  for (let at = row * ROWS_OF_NOISE; at < pixels.length; at += row * ROWS_OF_NOISE)
    pixels.copy(pixels, at, 0, row * ROWS_OF_NOISE);
  return encodePng(width, height, pixels);
}
