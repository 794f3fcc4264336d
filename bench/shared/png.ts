import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** So many rows of noise, over and over: as slow to decode as any picture, and still a small file. */
const ROWS_OF_NOISE = 8;

/** A PNG of 24 bits a pixel, of noise that repeats. */
export function noisyPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = 1 + width * 3;
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
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([frame, body, check]);
}
