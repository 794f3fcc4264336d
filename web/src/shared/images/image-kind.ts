import type { IMAGE_TYPES } from '@pressel/contract/limits';

export type ImageType = (typeof IMAGE_TYPES)[number];

/** Bytes from a file's beginning that `imageTypeOf` looks at. */
export const HEAD_BYTES = 16;

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

/** Returns a file's type by its first bytes, whatever its name says; undefined for any type that isn't accepted. */
export function imageTypeOf(head: Uint8Array): ImageType | undefined {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg';
  if (head[0] === 0x89 && ascii(head, 1, 8) === 'PNG\r\n\u001a\n') return 'image/png';
  if (/^GIF8[79]a$/u.test(ascii(head, 0, 6))) return 'image/gif';
  if (ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP') return 'image/webp';
  if (ascii(head, 0, 2) === 'BM') return 'image/bmp';
  return undefined;
}

/** Whether the image moves: a GIF with several frames, or a WebP that says so in its header (flag A of VP8X). */
export function isAnimated(bytes: Uint8Array, type: ImageType): boolean {
  if (type === 'image/webp') return ascii(bytes, 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 0x02) !== 0;
  return type === 'image/gif' && hasSecondFrame(bytes);
}

/** Walks through the blocks of a GIF (GIF89a, appendix A) up to its second frame. */
function hasSecondFrame(bytes: Uint8Array): boolean {
  const tableBytes = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1));
  let at = 13 + tableBytes(bytes[10]);
  let frames = 0;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x2c) {
      frames += 1;
      if (frames > 1) return true;
      at += 11 + tableBytes(bytes[at + 9]);
    } else if (kind === 0x21) at += 2;
    else return false;
    // Sub-blocks: a length and as many bytes, until one of length zero.
    for (let length = bytes[at] ?? 0; length > 0 && at < bytes.length; length = bytes[at] ?? 0) at += length + 1;
    at += 1;
  }
  return false;
}
