import { IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS, IMAGE_PICKED_MAX_BYTES, type IMAGE_TYPES } from '@pressel/contract/limits';

type ImageType = (typeof IMAGE_TYPES)[number];

/** Bytes from a file's beginning that `imageTypeOf` looks at. */
const HEAD_BYTES = 16;

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

/**
 * `type`: its content is no accepted type; `size`: more than IMAGE_PICKED_MAX_BYTES. `animated`: larger than
 * IMAGE_MAX_BYTES, and moving images can't be shrunk; `unreadable`: this browser can't decode or shrink it.
 */
export type ImageFault = 'type' | 'size' | 'animated' | 'unreadable';

/** An image that may be sent. Width and height in pixels, as it is shown. */
export type PreparedImage = { blob: Blob; width: number; height: number };
export type Preparation = { ok: true; image: PreparedImage } | { ok: false; fault: ImageFault };

/** The browser's ways to read and write images; tests pass fakes. */
export interface ImageTools<Bitmap> {
  /** Decodes an image, turned as its metadata says. Rejects if it can't. */
  decode(blob: Blob): Promise<Bitmap & { width: number; height: number }>;
  /** The bitmap in that size; null when the browser can't write the type. */
  encode(bitmap: Bitmap, shape: EncodeShape): Promise<Blob | null>;
  free(bitmap: Bitmap): void;
}

export interface EncodeShape {
  width: number;
  height: number;
  type: 'image/jpeg' | 'image/webp';
  quality: number;
}

/** Longest side, in pixels, and quality to try, until one is small enough. */
const STEPS = [
  [2560, 0.85],
  [2560, 0.7],
  [1920, 0.8],
  [1920, 0.6],
  [1280, 0.75],
  [1280, 0.5],
  [800, 0.6],
] as const;

/** Makes a chosen file ready to be sent: unchanged if it is small enough, else smaller [CHATS41]. */
export async function prepareImage<Bitmap>(file: Blob, tools: ImageTools<Bitmap>): Promise<Preparation> {
  if (file.size > IMAGE_PICKED_MAX_BYTES) return { ok: false, fault: 'size' };
  try {
    const type = imageTypeOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
    if (type === undefined) return { ok: false, fault: 'type' };
    const isTooLarge = file.size > IMAGE_MAX_BYTES;
    if (isTooLarge && isAnimated(new Uint8Array(await file.arrayBuffer()), type))
      return { ok: false, fault: 'animated' };
    const bitmap = await tools.decode(file);
    const { width, height } = bitmap;
    try {
      if (!isTooLarge && width * height <= IMAGE_MAX_PIXELS) {
        // Uses the file's real type, not the one that the browser guessed from its name.
        return { ok: true, image: { blob: new Blob([file], { type }), width, height } };
      }
      const image = await shrink(bitmap, type, tools);
      return image === undefined ? { ok: false, fault: 'unreadable' } : { ok: true, image };
    } finally {
      tools.free(bitmap);
    }
  } catch {
    // There is no helpful name for what a browser can't decode.
    return { ok: false, fault: 'unreadable' };
  }
}

async function shrink<Bitmap>(
  bitmap: Bitmap & { width: number; height: number },
  from: ImageType,
  tools: ImageTools<Bitmap>,
): Promise<PreparedImage | undefined> {
  // JPEG has no transparency. Photos have none to lose, and every browser writes JPEG.
  const isPhoto = from === 'image/jpeg' || from === 'image/bmp';
  for (const [side, quality] of STEPS) {
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const write = (type: EncodeShape['type']) => tools.encode(bitmap, { width, height, type, quality });
    const blob = (isPhoto ? null : await write('image/webp')) ?? (await write('image/jpeg'));
    if (blob !== null && blob.size <= IMAGE_MAX_BYTES) return { blob, width, height };
  }
  return undefined;
}

/** Something to paint on, which differs between pages and workers. */
interface Surface {
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null;
  toBlob: (type: string, quality: number) => Promise<Blob | null>;
}

/** Decodes and encodes images by a canvas. */
export const canvasTools = (open: (width: number, height: number) => Surface): ImageTools<ImageBitmap> => ({
  decode: (blob) => createImageBitmap(blob, { imageOrientation: 'from-image' }),
  async encode(bitmap, { width, height, type, quality }) {
    const { context, toBlob } = open(width, height);
    if (context === null) return null;
    context.imageSmoothingQuality = 'high';
    if (type === 'image/jpeg') {
      // White rather than black where the bitmap is transparent.
      context.fillStyle = '#ffffff';
      context.fillRect(0, 0, width, height);
    }
    context.drawImage(bitmap, 0, 0, width, height);
    const blob = await toBlob(type, quality);
    // Browsers that can't write the type write a PNG.
    return blob?.type === type ? blob : null;
  },
  free: (bitmap) => bitmap.close(),
});

export function workerSurface(width: number, height: number): Surface {
  const canvas = new OffscreenCanvas(width, height);
  return { context: canvas.getContext('2d'), toBlob: (type, quality) => canvas.convertToBlob({ type, quality }) };
}

export function pageSurface(width: number, height: number): Surface {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return {
    context: canvas.getContext('2d'),
    toBlob: (type, quality) => new Promise((resolve) => canvas.toBlob(resolve, type, quality)),
  };
}
