import { PHOTO_SENT_MAX_BYTES } from '@pressel/contract/limits';
import { expect, test } from 'vitest';
import { fileFault, middleSquare, smallEnough } from './photo-field.tsx';

test.each([
  ['image/jpeg', 1, undefined],
  ['image/png', 10_485_760, undefined],
  ['image/bmp', 1, undefined],
  ['image/gif', 1, undefined],
  ['image/webp', 1, undefined],
  ['image/png', 10_485_761, 'size'],
  ['image/svg+xml', 1, 'type'],
  ['application/pdf', 1, 'type'],
  ['', 1, 'type'],
] as const)('a file of type "%s" with %d bytes', (type, size, fault) => {
  expect(fileFault({ type, size })).toBe(fault);
});

test.each([
  [400, 200, { x: 100, y: 0, side: 200 }],
  [200, 400, { x: 0, y: 100, side: 200 }],
  [7, 7, { x: 0, y: 0, side: 7 }],
])('the middle of %d × %d is kept', (width, height, square) => {
  expect(middleSquare(width, height)).toEqual(square);
});

test('the best quality that fits is taken, and none when nothing fits', async () => {
  const tried: number[] = [];
  const encode = (limit: number) => async (quality: number) => {
    tried.push(quality);
    return new Blob([new Uint8Array(quality > limit ? PHOTO_SENT_MAX_BYTES + 1 : PHOTO_SENT_MAX_BYTES)]);
  };
  expect((await smallEnough(encode(0.75)))?.size).toBe(PHOTO_SENT_MAX_BYTES);
  expect(tried).toEqual([0.9, 0.8, 0.7]);
  expect(await smallEnough(encode(0))).toBeUndefined();
  expect(await smallEnough(async () => null)).toBeUndefined();
});
