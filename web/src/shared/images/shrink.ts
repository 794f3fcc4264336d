import { IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS, IMAGE_PICKED_MAX_BYTES } from '@pressel/contract/limits';
import { HEAD_BYTES, type ImageType, imageTypeOf, isAnimated } from './image-kind.ts';

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
