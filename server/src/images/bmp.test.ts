import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { decodeBmp, readBmpHeader } from './bmp.ts';
import { makeImages } from './make-images.ts';

interface BmpParts {
  width: number;
  /** Negative: top-down rows. */
  height: number;
  bits: number;
  coding?: number;
  headerBytes?: number;
  masks?: readonly number[];
  /** Entries as blue, green, red. */
  palette?: readonly (readonly [number, number, number])[];
  /** Bytes of each row as stored, without padding. */
  rows: readonly (readonly number[])[];
}

function bmp({ width, height, bits, coding = 0, headerBytes = 40, masks = [], palette = [], rows }: BmpParts): Buffer {
  const header = Buffer.alloc(Math.max(14 + headerBytes, 54 + masks.length * 4));
  header.write('BM', 'latin1');
  header.writeUInt32LE(headerBytes, 14);
  if (headerBytes === 12) {
    header.writeUInt16LE(width, 18);
    header.writeUInt16LE(height, 20);
    header.writeUInt16LE(1, 22);
    header.writeUInt16LE(bits, 24);
  } else {
    header.writeInt32LE(width, 18);
    header.writeInt32LE(height, 22);
    header.writeUInt16LE(1, 26);
    header.writeUInt16LE(bits, 28);
    header.writeUInt32LE(coding, 30);
    header.writeUInt32LE(palette.length, 46);
    for (const [index, mask] of masks.entries()) header.writeUInt32LE(mask, 54 + index * 4);
  }
  const start = headerBytes === 12 ? header.subarray(0, 26) : header;
  const colours = Buffer.from(palette.flatMap((entry) => (headerBytes === 12 ? [...entry] : [...entry, 0])));
  start.writeUInt32LE(start.length + colours.length, 10);
  const padded = rows.map((row) => Buffer.concat([Buffer.from(row), Buffer.alloc((4 - (row.length % 4)) % 4)]));
  return Buffer.concat([start, colours, ...padded]);
}
const pixelsOf = (bytes: Buffer): number[] => [...decodeBmp(bytes, readBmpHeader(bytes)).data];
const made = (bytes: Uint8Array) =>
  makeImages({ bytes, sizes: [{ width: 64, height: 64, fit: 'cover' }], isAnimationKept: false });

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const BLUE = [0, 0, 255, 255];
const WHITE = [255, 255, 255, 255];
const PALETTE = [
  [0, 0, 255],
  [0, 255, 0],
  [255, 0, 0],
  [255, 255, 255],
] as const;

describe('BMP', () => {
  /** The same image in all encodings: red and green above, blue and white below. */
  const kinds: [string, BmpParts][] = [
    [
      '24 bits, from the bottom',
      {
        width: 2,
        height: 2,
        bits: 24,
        rows: [
          [255, 0, 0, 255, 255, 255],
          [0, 0, 255, 0, 255, 0],
        ],
      },
    ],
    [
      '24 bits, from the top',
      {
        width: 2,
        height: -2,
        bits: 24,
        rows: [
          [0, 0, 255, 0, 255, 0],
          [255, 0, 0, 255, 255, 255],
        ],
      },
    ],
    [
      '32 bits without alpha',
      {
        width: 2,
        height: -2,
        bits: 32,
        rows: [
          [0, 0, 255, 9, 0, 255, 0, 9],
          [255, 0, 0, 9, 255, 255, 255, 9],
        ],
      },
    ],
    [
      '16 bits',
      {
        width: 2,
        height: -2,
        bits: 16,
        rows: [
          [0x00, 0x7c, 0xe0, 0x03],
          [0x1f, 0x00, 0xff, 0x7f],
        ],
      },
    ],
    [
      '16 bits with masks',
      {
        width: 2,
        height: -2,
        bits: 16,
        coding: 3,
        masks: [0xf800, 0x07e0, 0x001f],
        rows: [
          [0x00, 0xf8, 0xe0, 0x07],
          [0x1f, 0x00, 0xff, 0xff],
        ],
      },
    ],
    [
      '8 bits',
      {
        width: 2,
        height: -2,
        bits: 8,
        palette: PALETTE,
        rows: [
          [0, 1],
          [2, 3],
        ],
      },
    ],
    ['4 bits', { width: 2, height: -2, bits: 4, palette: PALETTE, rows: [[0x01], [0x23]] }],
    [
      '8 bits of OS/2',
      {
        width: 2,
        height: 2,
        bits: 8,
        headerBytes: 12,
        palette: [...PALETTE, ...Array<[number, number, number]>(252).fill([0, 0, 0])],
        rows: [
          [2, 3],
          [0, 1],
        ],
      },
    ],
  ];
  test.each(kinds)('of %s is read', async (_kind, parts) => {
    expect(pixelsOf(bmp(parts))).toEqual([...RED, ...GREEN, ...BLUE, ...WHITE]);
  });

  test('of 1 bit is read', async () => {
    const parts = { width: 3, height: -1, bits: 1, palette: PALETTE.slice(0, 2), rows: [[0b01000000]] };
    expect(pixelsOf(bmp(parts))).toEqual([...RED, ...GREEN, ...RED]);
  });

  const withAlpha = (row: number[]): BmpParts => ({
    width: 2,
    height: -1,
    bits: 32,
    coding: 3,
    headerBytes: 124,
    masks: [0xff0000, 0xff00, 0xff, 0xff000000],
    rows: [row],
  });
  test('with alpha keeps it, unless all of it would be unseen', async () => {
    expect(pixelsOf(bmp(withAlpha([0, 0, 255, 128, 0, 255, 0, 255])))).toEqual([255, 0, 0, 128, ...GREEN]);
    expect(pixelsOf(bmp(withAlpha([0, 0, 255, 0, 0, 255, 0, 0])))).toEqual([...RED, ...GREEN]);
  });

  const whole = bmp({
    width: 2,
    height: 2,
    bits: 24,
    rows: [
      [255, 0, 0, 255, 255, 255],
      [0, 0, 255, 0, 255, 0],
    ],
  });
  const changed = (offset: number, value: number): Buffer => {
    const copy = Buffer.from(whole);
    copy.writeUInt32LE(value, offset);
    return copy;
  };
  test.each([
    ['two bytes', Buffer.from('BM')],
    ['one that ends early', whole.subarray(0, -1)],
    ['one without width', changed(18, 0)],
    ['one of a negative width', changed(18, 0xffffffff)],
    ['one of more pixels than it holds', changed(18, 0x7fffffff)],
    ['one whose rows begin behind its end', changed(10, 0xfffffff0)],
    ['one with run-length coding', changed(30, 1)],
    ['one of 3 bits', changed(28, 3)],
    ['one with an unknown header', changed(14, 13)],
    [
      'one with an endless palette',
      bmp({ width: 2, height: 1, bits: 8, palette: PALETTE, rows: [[0, 1]] }).fill(255, 46, 50),
    ],
  ])('%s is refused', async (_what, bytes) => {
    await expect(made(bytes)).rejects.toMatchObject({ code: 'wrong_type' });
  });

  test('becomes an image as any other', async () => {
    const [image] = await made(whole);
    const { data, info } = await sharp(image?.bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([64, 64]);
    expect([...data.subarray(0, 3)].map((part) => part > 128)).toEqual([true, false, false]);
  });
});
