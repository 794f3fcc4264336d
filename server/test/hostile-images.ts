/** Small files that cost a decoder much time, each written by hand, because no encoder writes them. */
import { crc32, deflateSync } from 'node:zlib';

const uint16 = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));
const uint32 = (...values: number[]): Buffer => uint16(...values.flatMap((value) => [value >>> 16, value & 65_535]));
const uint16Le = (...values: number[]): Buffer => uint16(...values).swap16();

/** Packs codes of different lengths, one after the other. `isLowFirst`: in GIF's order, else in JPEG's. */
function packBits(codes: Iterable<readonly [value: number, bits: number]>, isLowFirst: boolean): Buffer {
  const bytes: number[] = [];
  let byte = 0;
  let filled = 0;
  for (const [value, bits] of codes) {
    for (let at = 0; at < bits; at += 1) {
      const bit = (value >> (isLowFirst ? at : bits - 1 - at)) & 1;
      byte |= bit << (isLowFirst ? filled : 7 - filled);
      filled += 1;
      if (filled < 8) continue;
      bytes.push(byte);
      byte = 0;
      filled = 0;
    }
  }
  return Buffer.from([...bytes, byte]);
}

/** Components, first and last coefficient, and their bits before and after, as in the scan's header. */
type Scan = readonly [components: readonly number[], from: number, to: number, high: number, low: number];

export interface JpegShape {
  width: number;
  height: number;
  components?: number;
  scans: readonly Scan[];
  /** The marker of the frame: 0xc2 is progressive. */
  frame?: number;
}

/** A JPEG segment. */
export const segment = (marker: number, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), uint16(body.length + 2), body]);
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
/** The most blocks that one 'end of band' code covers. */
const BAND_MAX = 32_767;
const BAND_MIN = 16_384;

/** A grey JPEG. Each of its scans says in a few bytes that nothing changes. */
export function jpegOf({ width, height, components = 3, scans, frame = 0xc2 }: JpegShape): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const ids = componentsOf(components);
  const unchanged = [...Array(Math.ceil(blocks / BAND_MAX)).keys()].flatMap((at) => {
    const band = Math.max(BAND_MIN, Math.min(BAND_MAX, blocks - at * BAND_MAX));
    return [[0, 1] as const, [band - BAND_MIN, 14] as const];
  });
  const first = Buffer.alloc(Math.ceil((blocks * components) / 8));
  // A 0xff that is not a marker has a zero behind it.
  const band = Buffer.from([...packBits(unchanged, false)].flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])));
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    segment(frame, Buffer.from([8, ...uint16(height, width), components, ...ids.flatMap((id) => [id, 0x11, 0])])),
    // One code of one bit in each table: 'no difference', and 'at least 16,384 blocks without a coefficient'.
    segment(0xc4, Buffer.from([0x00, 1, ...Array<number>(15).fill(0), 0x00])),
    segment(0xc4, Buffer.from([0x10, 1, ...Array<number>(15).fill(0), 0xe0])),
    ...scans.flatMap(([of, from, to, high, low]) => [
      segment(0xda, Buffer.from([of.length, ...of.flatMap((id) => [id, 0]), from, to, (high << 4) | low])),
      from === 0 ? first : band,
    ]),
    END_OF_IMAGE,
  ]);
}

const componentsOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
/** The scan with every component's average. */
export const firstScan = (components: number): Scan => [componentsOf(components), 0, 0, 0, 0];

/** Scans for each bit of these coefficients of each component: as many scans as are valid. */
export function bitByBit(components: number, bands: readonly (readonly [from: number, to: number])[]): Scan[] {
  const scans = componentsOf(components).flatMap((id) =>
    bands.flatMap(([from, to]) =>
      Array.from({ length: 14 }, (_, done): Scan => [[id], from, to, done === 0 ? 0 : 14 - done, 13 - done]),
    ),
  );
  return [firstScan(components), ...scans];
}

/** Puts a colour profile into a JPEG (ICC.1:2022, B.4). */
export function withProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const parts = Array.from(
    { length: Math.ceil(profile.length / 65_000) },
    (_, index, all = Math.ceil(profile.length / 65_000)) =>
      segment(
        0xe2,
        Buffer.concat([
          Buffer.from('ICC_PROFILE\0', 'latin1'),
          Buffer.from([index + 1, all]),
          profile.subarray(index * 65_000, (index + 1) * 65_000),
        ]),
      ),
  );
  return Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)]);
}

/** A profile whose colours pass through this many elements; the file holds one element, which all refer to. */
export function profileOfElements(elements: number): Buffer {
  const float = (...values: number[]) =>
    Buffer.concat(values.map((value) => Buffer.from(new Float32Array([value]).buffer).swap32()));
  const matrix = Buffer.concat([
    Buffer.from('matf\0\0\0\0', 'latin1'),
    uint16(3, 3),
    float(0.9, 0, 0, 0, 0.9, 0, 0, 0, 0.9, 0, 0, 0.01),
  ]);
  const places = Buffer.concat(Array<Buffer>(elements).fill(uint32(16 + 8 * elements, matrix.length)));
  const programme = Buffer.concat([
    Buffer.from('mpet\0\0\0\0', 'latin1'),
    uint16(3, 3),
    uint32(elements),
    places,
    matrix,
  ]);
  const white = Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), uint32(0xf6d6, 0x10000, 0xd32d)]);
  const at = 128 + 4 + 3 * 12;
  const tag = (name: string, from: number, body: Buffer) =>
    Buffer.concat([Buffer.from(name, 'latin1'), uint32(from, body.length)]);
  const table = [
    uint32(3),
    tag('wtpt', at, white),
    tag('A2B0', at + white.length, programme),
    tag('D2B0', at + white.length, programme),
  ];
  const header = Buffer.alloc(128);
  header.writeUInt32BE(at + white.length + programme.length, 0);
  header.writeUInt32BE(0x04300000, 8);
  header.write('scnrRGB XYZ ', 12, 'latin1');
  header.write('acsp', 36, 'latin1');
  uint32(0xf6d6, 0x10000, 0xd32d).copy(header, 68);
  return Buffer.concat([header, ...table, white, programme]);
}

/** EXIF whose directory refers to itself this many times. */
export function exifOfReferences(references: number): Buffer {
  const start = Buffer.from('II*\0\x08\0\0\0', 'latin1');
  const gpsAt8 = Buffer.concat([uint16Le(0x8825, 4, 1, 0, 8, 0)]);
  return Buffer.concat([start, uint16Le(references), ...Array<Buffer>(references).fill(gpsAt8), Buffer.alloc(4)]);
}

/** A GIF. `frames`: the size that each frame claims, and the pixels that it has, all of one colour. */
export function gifOf(
  width: number,
  height: number,
  frames: readonly { width: number; height: number; pixels: number }[],
): Buffer {
  const packed = new Map<number, Buffer>();
  const dataOf = (pixels: number): Buffer => {
    const known = packed.get(pixels) ?? Buffer.concat([Buffer.from([2]), subBlocks(packBits(runOf(pixels), true))]);
    packed.set(pixels, known);
    return known;
  };
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    uint16Le(width, height),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...frames.flatMap((frame) => [
      Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0]),
      uint16Le(frame.width, frame.height),
      Buffer.from([0]),
      dataOf(frame.pixels),
    ]),
    Buffer.from([0x3b]),
  ]);
}

/** LZW codes for pixels of one colour, each a pixel longer than the one before: the most that a code can cover. */
function* runOf(pixels: number): Generator<readonly [number, number]> {
  let bits = 3;
  let next = 6;
  let length = 1;
  yield [4, bits];
  yield [0, bits];
  for (let left = pixels - 1; left > 0; left -= length) {
    if (next > 4_095) {
      yield [4_095, bits];
      continue;
    }
    yield [next, bits];
    length += 1;
    next += 1;
    if (next === 2 ** bits && bits < 12) bits += 1;
  }
  yield [5, bits];
}

function subBlocks(data: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}

/** An animated WebP of equal frames. @param frame a WebP of one pixel */
export function webpOf(side: number, frame: Buffer, frames: number): Buffer {
  const chunk = (name: string, body: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(body.length);
    return Buffer.concat([Buffer.from(name, 'latin1'), size, body, Buffer.alloc(body.length % 2)]);
  };
  const uint24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
  const one = Buffer.concat([Buffer.alloc(12), uint24(50), Buffer.from([0]), frame.subarray(12)]);
  return chunk(
    'RIFF',
    Buffer.concat([
      Buffer.from('WEBP', 'latin1'),
      chunk('VP8X', Buffer.concat([Buffer.from([2, 0, 0, 0]), uint24(side - 1), uint24(side - 1)])),
      chunk('ANIM', Buffer.alloc(6)),
      ...Array<Buffer>(frames).fill(chunk('ANMF', one)),
    ]),
  );
}

/** A PNG chunk. */
export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

/** A PNG with 32 bits a pixel. @param rows its unpacked data: each row with its filter @param more chunks before the data */
export function pngOf(width: number, height: number, rows: Buffer, ...more: Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', Buffer.concat([uint32(width, height), Buffer.from([8, 6, 0, 0, 0])])),
    ...more,
    pngChunk('IDAT', deflateSync(rows, { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The slowest image within all limits: 24 megapixels of noise, with transparency. */
export function slowPng(): Buffer {
  const side = 4_900;
  // Filter 4 (Paeth) turns constant bytes into something like noise, and they compress to almost nothing.
  const row = Buffer.alloc(1 + side * 4, 37);
  row[0] = 3;
  return pngOf(side, side, Buffer.concat(Array<Buffer>(side).fill(row)));
}
