import { IMAGE_MAX_BYTES, IMAGE_PICKED_MAX_BYTES } from '@pressel/contract/limits';
import { expect, test } from 'vitest';
import { type EncodeShape, type ImageTools, imageTypeOf, isAnimated, prepareImage } from './shrink.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'string' ? [...part].map((one) => one.charCodeAt(0)) : part)),
  );

const FRAME = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
const CONTROL = [0x21, 0xf9, 4, 0, 0, 0, 0, 0];
const gif = (frames: number) =>
  bytes('GIF89a', [1, 0, 1, 0, 0x80, 0, 0, 1, 2, 3, 4, 5, 6], ...Array(frames).fill([...CONTROL, ...FRAME]), [0x3b]);
const webp = (flags: number) => bytes('RIFF', [0, 0, 0, 0], 'WEBP', 'VP8X', [10, 0, 0, 0, flags, 0, 0, 0]);
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0]);
const PNG = bytes([0x89], 'PNG\r\n\u001a\n');

test.each([
  [JPEG, 'image/jpeg'],
  [PNG, 'image/png'],
  [gif(1), 'image/gif'],
  [webp(0), 'image/webp'],
  [bytes('BM', [1, 2, 3]), 'image/bmp'],
  [bytes('<svg xmlns="http://www.w3.org/2000/svg">'), undefined],
  [bytes('%PDF-1.7'), undefined],
  [bytes('RIFF', [0, 0, 0, 0], 'WAVE'), undefined],
  [bytes(''), undefined],
] as const)('[CHATS40] the type is told by the content: %#', (head, type) => {
  expect(imageTypeOf(head)).toBe(type);
});

test('[CHATS41] what moves is recognised, also when it is cut off', () => {
  expect([gif(1), gif(2), gif(9)].map((one) => isAnimated(one, 'image/gif'))).toEqual([false, true, true]);
  expect([webp(0), webp(0x02)].map((one) => isAnimated(one, 'image/webp'))).toEqual([false, true]);
  expect(isAnimated(gif(2).subarray(0, 20), 'image/gif')).toBe(false);
  expect(isAnimated(JPEG, 'image/jpeg')).toBe(false);
});

/** A bitmap of that size, whose encodings weigh what `weigh` says. */
function tools(width: number, height: number, weigh: (shape: EncodeShape) => number | null = () => 1_000) {
  const tried: EncodeShape[] = [];
  const freed: unknown[] = [];
  const fake: ImageTools<object> = {
    decode: async () => ({ width, height }),
    async encode(_, shape) {
      tried.push(shape);
      const weight = weigh(shape);
      return weight === null ? null : new Blob([new Uint8Array(weight)], { type: shape.type });
    },
    free: (bitmap) => freed.push(bitmap),
  };
  return { fake, tried, freed };
}
const padded = (head: Uint8Array<ArrayBuffer>, size: number) => new Blob([head, new Uint8Array(size - head.length)]);

test('[CHATS41] a small image goes as it is, with the type of its content', async () => {
  const { fake, tried, freed } = tools(640, 480);
  const result = await prepareImage(padded(JPEG, IMAGE_MAX_BYTES), fake);
  expect(result).toMatchObject({ ok: true, image: { width: 640, height: 480, blob: { type: 'image/jpeg' } } });
  expect(result.ok && result.image.blob.size).toBe(IMAGE_MAX_BYTES);
  expect([tried, freed.length]).toEqual([[], 1]);
});

test('[CHATS41] a large one is made smaller, its shape kept, until it weighs at most 1 MB', async () => {
  const { fake, tried } = tools(6_000, 3_000, ({ width }) => (width > 2_000 ? IMAGE_MAX_BYTES + 1 : IMAGE_MAX_BYTES));
  const result = await prepareImage(padded(JPEG, IMAGE_MAX_BYTES + 1), fake);
  expect(result).toMatchObject({ ok: true, image: { width: 1_920, height: 960 } });
  expect(tried.map(({ width, quality }) => [width, quality])).toEqual([
    [2_560, 0.85],
    [2_560, 0.7],
    [1_920, 0.8],
  ]);
  expect(new Set(tried.map(({ type }) => type))).toEqual(new Set(['image/jpeg']));
});

test('[CHATS41] what may be transparent stays so where the browser can write it', async () => {
  const large = padded(PNG, IMAGE_MAX_BYTES + 1);
  const able = tools(100, 100);
  expect(await prepareImage(large, able.fake)).toMatchObject({ image: { blob: { type: 'image/webp' } } });
  const unable = tools(100, 100, ({ type }) => (type === 'image/webp' ? null : 1_000));
  expect(await prepareImage(large, unable.fake)).toMatchObject({ image: { blob: { type: 'image/jpeg' } } });
});

test('[CHATS41] one of few bytes and too many pixels is made smaller too', async () => {
  const { fake, tried } = tools(9_000, 9_000);
  expect(await prepareImage(padded(PNG, 2_000), fake)).toMatchObject({ ok: true, image: { width: 2_560 } });
  expect(tried).toHaveLength(1);
});

test.each([
  ['more than 10 MB', padded(JPEG, IMAGE_PICKED_MAX_BYTES + 1), 'size'],
  ['no image', new Blob(['%PDF-1.7']), 'type'],
  ['an empty file', new Blob([]), 'type'],
  ['a moving one over 1 MB', new Blob([gif(2), new Uint8Array(IMAGE_MAX_BYTES)]), 'animated'],
] as const)('[CHATS40] %s is refused', async (_, file, fault) => {
  expect(await prepareImage(file, tools(1, 1).fake)).toEqual({ ok: false, fault });
});

test('[CHATS40] what can not be decoded, or not be made small enough, is refused', async () => {
  const broken = { ...tools(1, 1).fake, decode: () => Promise.reject(new Error('broken')) };
  expect(await prepareImage(padded(JPEG, 100), broken)).toEqual({ ok: false, fault: 'unreadable' });
  const heavy = tools(100, 100, () => IMAGE_MAX_BYTES + 1);
  expect(await prepareImage(padded(JPEG, IMAGE_MAX_BYTES + 1), heavy.fake)).toEqual({ ok: false, fault: 'unreadable' });
  expect(heavy.freed).toHaveLength(1);
});

test('a moving one of at most 1 MB goes as it is', async () => {
  expect(await prepareImage(new Blob([gif(3)]), tools(1, 1).fake)).toMatchObject({ ok: true });
});
