import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import {
  bitByBit,
  exifOfReferences,
  firstScan,
  gifOf,
  jpegOf,
  pngChunk,
  pngOf,
  profileOfElements,
  segment,
  webpOf,
  withProfile,
} from '#test/hostile-images.ts';
import { makeImages } from './make-images.ts';
import { FRAMES_MAX, SCANS_MAX, screened } from './screening.ts';

const SIDE = 16;
const ALL_COEFFICIENTS = [[1, 63]] as const;
/** A JPEG with this many scans, each of them valid. */
const jpegOfScans = (scans: number, side = SIDE) => {
  const again = bitByBit(3, ALL_COEFFICIENTS).slice(1);
  return jpegOf({ width: side, height: side, scans: [firstScan(3), ...again, ...again, ...again].slice(0, scans) });
};
const plain = (width = SIDE, height = SIDE) => sharp({ create: { width, height, channels: 3, background: '#40a060' } });
const make = (bytes: Uint8Array, isAnimationKept = true) =>
  makeImages({ bytes, sizes: [{ width: 100, height: 100, fit: 'inside' }], isAnimationKept });
const outcomeOf = (bytes: Uint8Array, isAnimationKept = true): Promise<string> =>
  make(bytes, isAnimationKept).then(
    () => 'made',
    ({ code }) => code,
  );
const screen = (bytes: Uint8Array): string => {
  try {
    screened(bytes, true);
    return 'passes';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('CHAT35: a JPEG', () => {
  test('of as many scans as are allowed is made, of one more refused', async () => {
    expect(await outcomeOf(jpegOfScans(SCANS_MAX))).toBe('made');
    expect(await outcomeOf(jpegOfScans(SCANS_MAX + 1))).toBe('too_large');
  });

  test('whose every bit of every coefficient is a scan is refused, in time that does not depend on its pixels', async () => {
    const bands = Array.from({ length: 63 }, (_, index) => [index + 1, index + 1] as const);
    expect(await outcomeOf(jpegOf({ width: 4_900, height: 4_900, scans: bitByBit(3, bands) }))).toBe('too_large');
  });

  test('as encoders write them passes: baseline, progressive, optimised, grey, CMYK', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const photo = sharp({ create: { width: 300, height: 200, channels: 3, background: '#888', noise } });
    for (const image of [
      photo.clone().jpeg(),
      photo.clone().jpeg({ progressive: true }),
      photo.clone().jpeg({ mozjpeg: true }),
      photo.clone().greyscale().jpeg({ progressive: true, optimiseScans: true, trellisQuantisation: true }),
      photo.clone().toColourspace('cmyk').jpeg({ progressive: true }),
    ])
      expect(await outcomeOf(await image.toBuffer())).toBe('made');
  });

  const scan = (bytes: Buffer) => bytes.lastIndexOf(Buffer.from([0xff, 0xda]));
  const many = jpegOfScans(SCANS_MAX + 1);
  const few = jpegOfScans(SCANS_MAX);
  const inserted = (into: Buffer, at: number, ...what: Buffer[]) =>
    Buffer.concat([into.subarray(0, at), ...what, into.subarray(at)]);
  const header = few.subarray(scan(few), scan(few) + 10);
  test.each<[string, Buffer, boolean]>([
    ['fill before a scan', inserted(many, scan(many), Buffer.alloc(9, 0xff)), false],
    ['restarts and stuffed bytes before a scan', inserted(many, scan(many), Buffer.from([0xff, 0xd0, 0xff, 0])), false],
    ['a comment before a scan', inserted(many, scan(many), segment(0xfe, Buffer.from('x'))), false],
    [
      'a comment that ends with a 0xff before a scan',
      inserted(many, scan(many), segment(0xfe, Buffer.from([0xff]))),
      false,
    ],
    ['a scan in a comment', inserted(few, scan(few), segment(0xfe, header)), true],
    ['a scan behind the end', Buffer.concat([few, header, header]), true],
    ['scans in metadata', inserted(few, 2, segment(0xe1, Buffer.concat(Array(99).fill(header)))), true],
    ['a scan behind a zero', inserted(few, scan(few), Buffer.from([0, 0xff, 0, 0xda])), true],
  ])('is counted with %s', (_what, bytes, passes) => {
    expect(screen(bytes)).toBe(passes ? 'passes' : 'JPEG of too many scans');
  });

  test.each([0xc3, 0xc5, 0xc9, 0xca, 0xcb, 0xcf])(
    'of the coding %#x is refused: no browser shows it',
    async (frame) => {
      expect(await outcomeOf(jpegOf({ width: SIDE, height: SIDE, scans: [firstScan(3)], frame }))).toBe('wrong_type');
    },
  );

  test.each([
    ['two bytes', [0xff, 0xd8]],
    ['no marker', [0xff, 0xd8, 1, 2, 3]],
    ['fill to its end', [0xff, 0xd8, 0xff, 0xff, 0xff]],
    ['a marker without a segment', [0xff, 0xd8, 0xff, 0xe1]],
    ['a segment of no length', [0xff, 0xd8, 0xff, 0xe1, 0, 0, 0xff, 0xe1, 0, 0]],
    ['a segment longer than the file', [0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 1]],
  ])('of %s is left to the decoder', async (_what, bytes) => {
    expect(await outcomeOf(Buffer.from(bytes))).toBe('wrong_type');
  });
});

describe('CHAT35: an animation', async () => {
  const pixel = await plain(1, 1).webp({ lossless: true }).toBuffer();
  const tiny = { width: 1, height: 1, pixels: 1 };

  test('of as many frames as are allowed is made, of one more refused', async () => {
    expect(await outcomeOf(webpOf(1, pixel, FRAMES_MAX))).toBe('made');
    expect(await outcomeOf(webpOf(1, pixel, FRAMES_MAX + 1))).toBe('too_large');
    expect(await outcomeOf(gifOf(1, 1, Array(FRAMES_MAX).fill(tiny)))).toBe('made');
    expect(await outcomeOf(gifOf(1, 1, Array(FRAMES_MAX + 1).fill(tiny)))).toBe('too_large');
  });

  test('whose frames claim more pixels than an image may have is refused, unless only the first frame is wanted', async () => {
    const fits = { width: 500, height: 500, pixels: 1_000 };
    const claims = { width: 65_535, height: 65_535, pixels: 1_000 };
    const bytes = gifOf(500, 500, [{ ...fits, pixels: 250_000 }, claims]);
    expect(screen(bytes)).toBe('GIF of too many pixels');
    expect(screen(gifOf(500, 500, Array(100).fill(fits)))).toBe('passes');
    expect(screen(gifOf(500, 500, Array(101).fill(fits)))).toBe('GIF of too many pixels');
    expect(await outcomeOf(bytes, false)).toBe('made');
  });

  test('with tables of colours and comments is counted as well', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0'].map((background) =>
        sharp({ create: { width: 9, height: 9, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const gif = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [50, 50], interFrameMaxError: 0 })
      .toBuffer();
    expect(await outcomeOf(gif)).toBe('made');
    expect(screened(gif, true)).toBe(gif);
  });

  test.each([
    'GIF89a',
    'GIF89a\x01\0\x01\0\xff\0\0',
    'RIFF',
    'RIFF\0\0\0\0WEBP',
    'RIFF\0\0\0\0WEBPANMF\xff\xff\xff\xff',
  ])('that ends early is left to the decoder: %j', async (text) => {
    expect(await outcomeOf(Buffer.from(text, 'latin1'))).toBe('wrong_type');
  });
});

describe('CHAT35: what a file says beside its picture costs nothing', () => {
  test('texts of a PNG, packed or not: nothing of them is unpacked', async () => {
    const packed = deflateSync(Buffer.alloc(7_900_000, 97), { level: 9 });
    const texts = ['tEXt', 'zTXt', 'iTXt'].map((type) =>
      pngChunk(type, Buffer.concat([Buffer.from('k\0\x01\0\0\0'), packed])),
    );
    const rows = Buffer.alloc(SIDE * (1 + SIDE * 4));
    const bytes = pngOf(SIDE, SIDE, rows, ...texts);
    expect(Buffer.from(screened(bytes, true))).toEqual(pngOf(SIDE, SIDE, rows));
    expect(await outcomeOf(bytes)).toBe('made');
  });

  test('a PNG that unpacks to more than its header says is made, of what the header says', async () => {
    const [image] = await make(pngOf(SIDE, SIDE, Buffer.alloc(50_000_000)));
    expect([image?.width, image?.height]).toEqual([SIDE, SIDE]);
  });

  test('a colour profile of a hundred thousand elements is not applied', async () => {
    const bytes = withProfile(await plain(64, 64).jpeg().toBuffer(), profileOfElements(100_000));
    expect((await sharp(bytes).metadata()).icc?.length).toBeGreaterThan(800_000);
    expect(await outcomeOf(bytes)).toBe('made');
  });

  test('an ordinary colour profile is applied', async () => {
    const wide = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
      .withIccProfile('p3')
      .png()
      .toBuffer();
    const narrow = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const red = async (bytes: Buffer) => [
      ...(
        await sharp((await make(bytes))[0]?.bytes)
          .raw()
          .toBuffer()
      ).subarray(0, 3),
    ];
    expect(await red(wide)).toEqual(await red(narrow));
    const kept = await sharp(Buffer.from(screened(wide, true))).metadata();
    expect(kept.icc?.length).toBeGreaterThan(100);
  });

  test.each(['jpeg', 'png', 'webp'] as const)(
    'of what a %s says in EXIF only its orientation is left',
    async (format) => {
      const bytes = await plain(40, 20)
        .toFormat(format)
        .withExif({ IFD0: { Artist: 'Ana' }, IFD3: { GPSLatitude: '48/1 51/1 0/1' } })
        .withMetadata({ orientation: 6 })
        .toBuffer();
      const { exif, orientation } = await sharp(Buffer.from(screened(bytes, true))).metadata();
      expect([(exif?.length ?? 0) < 40, orientation]).toEqual([true, 6]);
      const [image] = await make(bytes);
      expect([image?.width, image?.height]).toEqual([20, 40]);
    },
  );

  test.each([
    ['big-endian', 'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x03\0\0\0\0\0\0', 3],
    ['little-endian', 'II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x03\0\0\0\0\0\0\0', 3],
    ['of no known orientation', 'II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x09\0\0\0\0\0\0\0', undefined],
    ['with a directory outside', 'II*\0\xff\xff\xff\xff\x01\0\x12\x01\x03\0\x01\0\0\0\x03\0', undefined],
    ['with more entries than it has', 'II*\0\x08\0\0\0\xff\xff', undefined],
    ['of nothing', '', undefined],
  ])('EXIF %s', async (_what, tiff, orientation) => {
    const jpeg = await plain().jpeg().toBuffer();
    const exif = segment(0xe1, Buffer.from(`Exif\0\0${tiff}`, 'latin1'));
    const bytes = Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
    expect((await sharp(Buffer.from(screened(bytes, true))).metadata()).orientation).toBe(orientation);
    expect(await outcomeOf(bytes)).toBe('made');
  });

  test('EXIF of thousands of directories is not followed', async () => {
    const jpeg = await plain().jpeg().toBuffer();
    const exif = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifOfReferences(5_400)]));
    const bytes = Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
    expect(Buffer.from(screened(bytes, true))).toEqual(jpeg);
    const rows = Buffer.alloc(SIDE * (1 + SIDE * 4));
    expect(await outcomeOf(pngOf(SIDE, SIDE, rows, pngChunk('eXIf', exifOfReferences(65_535))))).toBe('made');
  });

  test('thousands of small pieces of EXIF that claim many entries are not searched for them', async () => {
    const claim = Buffer.from('II*\0\x08\0\0\0\xff\xff\0\0', 'latin1');
    const jpeg = await plain().jpeg().toBuffer();
    const exif = Buffer.alloc(900_000, segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), claim])));
    const before = performance.now();
    screened(Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]), true);
    const chunks = Buffer.alloc(900_000, pngChunk('eXIf', claim));
    screened(pngOf(SIDE, SIDE, Buffer.alloc(SIDE * (1 + SIDE * 4)), chunks), true);
    // They would take twenty seconds each.
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
