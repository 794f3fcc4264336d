import { crc32 } from 'node:zlib';
import { IMAGE_MAX_BYTES } from '@pressel/contract/limits';
import sharp, { type Sharp } from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { createImages } from './images.ts';
import type { ImageSize } from './job.ts';

const images = createImages({ log: { warn: () => undefined } });
afterAll(() => images.close());
const SOMEBODY = { owner: 'somebody', signal: new AbortController().signal };
const SQUARE: ImageSize = { width: 256, height: 256, fit: 'cover' };
const make = (bytes: Uint8Array, size = SQUARE) => images.make(SOMEBODY, bytes, size);
const plain = (width: number, height: number, background = '#40a060'): Sharp =>
  sharp({ create: { width, height, channels: 4, background } });
/** An image with a red left and a blue right half. */
const halves = (width: number, height: number): Promise<Sharp> =>
  plain(width / 2, height, '#0000ff')
    .png()
    .toBuffer()
    .then((input) => plain(width, height, '#ff0000').composite([{ input, gravity: 'east' }]));
const colourAt = async (bytes: Buffer, x: number, y: number): Promise<number[]> => [
  ...(await sharp(bytes).extract({ left: x, top: y, width: 1, height: 1 }).raw().toBuffer()),
];
const bytesOf = async (image: Sharp | Promise<Sharp>) => (await image).png().toBuffer();

describe('the size of an image', () => {
  test('a square is the middle of it', async () => {
    const wide = await bytesOf(halves(400, 100));
    const { bytes, width, height } = await make(wide);
    expect([width, height]).toEqual([256, 256]);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 });
    const [left, right] = [await colourAt(bytes, 20, 128), await colourAt(bytes, 236, 128)];
    expect([(left[0] ?? 0) > 200, (right[2] ?? 0) > 200]).toEqual([true, true]);
  });

  test.each([
    [2_000, 1_000, 500, 250],
    [40, 20, 40, 20],
  ])('all of %d × %d fits inside 500 × 500', async (width, height, ...expected) => {
    const made = await make(await bytesOf(plain(width, height)), { width: 500, height: 500, fit: 'inside' });
    expect([made.width, made.height]).toEqual(expected);
  });
});

describe('what is kept of an image', () => {
  test('it is turned as its metadata says, which then goes', async () => {
    const upright = await (await halves(100, 100))
      .jpeg()
      .withExif({ IFD0: { Artist: 'Ana' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { bytes } = await make(upright);
    const { orientation, exif, icc, xmp } = await sharp(bytes).metadata();
    expect([orientation, exif, icc, xmp]).toEqual([undefined, undefined, undefined, undefined]);
    // Orientation 6: the stored left edge is displayed at the top.
    expect(
      [(await colourAt(bytes, 128, 20))[0], (await colourAt(bytes, 128, 236))[2]].map((c) => (c ?? 0) > 200),
    ).toEqual([true, true]);
  });

  test('transparency is kept', async () => {
    const { bytes } = await make(await bytesOf(plain(50, 50, '#00000000')));
    expect((await sharp(bytes).metadata()).hasAlpha).toBe(true);
  });
});

describe('what is no image', () => {
  const jpeg = plain(256, 256).jpeg().toBuffer();
  test.each<[string, (jpeg: Buffer) => Buffer | Promise<Buffer>]>([
    ['nothing', () => Buffer.alloc(0)],
    ['a text', () => Buffer.from('<script>alert(1)</script>')],
    ['a drawing', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a TIFF', () => plain(9, 9).tiff().toBuffer()],
    ['an AVIF', () => plain(9, 9).avif().toBuffer()],
    ['half a JPEG', (whole) => whole.subarray(0, whole.length / 2)],
    ['a JPEG without its end', (whole) => whole.subarray(0, -2)],
    ['half a PNG', async () => (await bytesOf(halves(200, 200))).subarray(0, 300)],
    ['half a GIF', async () => (await plain(50, 50).gif().toBuffer()).subarray(0, 40)],
    ['half a WebP', async () => (await plain(50, 50).webp().toBuffer()).subarray(0, 40)],
  ])('%s is refused', async (_what, spoil) => {
    await expect(make(await spoil(await jpeg))).rejects.toMatchObject({ code: 'wrong_type' });
  });
});

describe('what is too large', () => {
  test('more than a mebibyte', async () => {
    const whole = await bytesOf(plain(9, 9));
    const of = (length: number) => Buffer.concat([whole, Buffer.alloc(length - whole.length)]);
    await expect(make(of(IMAGE_MAX_BYTES))).resolves.toMatchObject({ width: 256 });
    await expect(make(of(IMAGE_MAX_BYTES + 1))).rejects.toMatchObject({ code: 'too_large' });
  });

  /** A PNG whose header claims this size without pixel data to match, so that only a check of the header can refuse it. */
  const headerOf = async (width: number, height: number) => {
    const png = Buffer.from(await bytesOf(plain(1, 1)));
    png.writeUInt32BE(width, 16);
    png.writeUInt32BE(height, 20);
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
    return png;
  };
  test.each([
    [5_001, 5_000],
    [65_535, 65_535],
    [1, 25_000_001],
  ])('one of %d × %d pixels is refused by its header, undecoded', async (width, height) => {
    await expect(make(await headerOf(width, height))).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('many at once', () => {
  const one = createImages({ log: { warn: () => undefined }, atOnce: 1 });
  afterAll(() => one.close());

  test('one owner has sixteen waiting, the rest is turned away', async () => {
    const bytes = await bytesOf(plain(300, 300));
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => one.make(SOMEBODY, bytes, SQUARE)));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(40 - 17);
    expect(refused[0]).toMatchObject({ reason: { code: 'too_many' } });
  });

  test('CHAT36: what nobody waits for any more is not made, and takes no place', async () => {
    const bytes = await bytesOf(plain(300, 300));
    const hangUp = new AbortController();
    const first = one.make(SOMEBODY, bytes, SQUARE);
    const left = Array.from({ length: 16 }, () =>
      one.make({ owner: 'somebody', signal: hangUp.signal }, bytes, SQUARE).catch(() => 'left'),
    );
    await expect(one.make(SOMEBODY, bytes, SQUARE)).rejects.toMatchObject({ code: 'too_many' });
    hangUp.abort(new Error('closed'));
    await expect(one.make(SOMEBODY, bytes, SQUARE)).resolves.toMatchObject({ width: 256 });
    expect(new Set(await Promise.all(left))).toEqual(new Set(['left']));
    await first;
  });
});

test('nothing is made after the end', async () => {
  const ended = createImages({ log: { warn: () => undefined } });
  ended.close();
  await expect(ended.make(SOMEBODY, await bytesOf(plain(9, 9)), SQUARE)).rejects.toMatchObject({ code: 'unavailable' });
});
