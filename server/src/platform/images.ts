import { availableParallelism } from 'node:os';
import { IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS } from '@pressel/contract/limits';
import sharp, { type Sharp } from 'sharp';
import { AppError } from '#src/shared/app-error.ts';
import { decodeBmp, isBmp, readBmpHeader } from '#src/shared/bmp.ts';
import { createGate } from './gate.ts';

/** The format of all images served: small, with transparency, supported by all browsers. */
export const IMAGE_TYPE = 'image/webp';
/** 0..100. */
const QUALITY = 82;
/** Time limit. The worst image within the limits takes a second of one core; a busy machine gets ten. */
const TIME_MAX_S = 10;
const WAITING_MAX = 64;
const PER_OWNER_MAX = 16;
const RETRY_AFTER_SECONDS = 2;
/** The only decoders of libvips that are enabled, out of dozens, to limit the attack surface. */
const DECODERS = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer'].map((name) => `VipsForeignLoad${name}`);

/** libwebp's default is 4; for the many frames of an animation it takes twice the time for a twentieth of the bytes. */
const ANIMATION_EFFORT = 2;

/** Target size. `cover` fills it and crops; `inside` keeps the whole image within it. */
export interface ImageSize {
  width: number;
  height: number;
  fit: 'cover' | 'inside';
}

export interface Image {
  bytes: Buffer;
  width: number;
  height: number;
}

export interface Images {
  /**
   * Converts a JPEG, PNG, BMP, GIF or WebP (detected by content) to IMAGE_TYPE. Decodes it completely, applies its
   * orientation and drops all metadata (location, camera, comments, trailing bytes). Keeps an animation's first frame.
   * @param owner the user, to limit each one's share of the queue
   * @throws AppError wrong_type, too_large (bytes, pixels or time), too_many, unavailable
   */
  make(owner: string, bytes: Uint8Array, size: ImageSize): Promise<Image>;
  /**
   * The same, but an animation stays one, if all of its frames together have at most IMAGE_MAX_PIXELS; and a thumbnail, of
   * the first frame.
   */
  makeWithThumbnail(
    owner: string,
    bytes: Uint8Array,
    size: ImageSize,
    thumbnailSize: ImageSize,
  ): Promise<{ image: Image; thumbnail: Image }>;
}

/**
 * Converts images on libuv's thread pool, one thread each. Leaves one core to the event loop, otherwise floor requests
 * wait for CPU time.
 */
export function createImages(atOnce: number = Math.max(1, availableParallelism() - 1)): Images {
  // Process-wide settings; repeating them is harmless.
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  const gate = createGate(atOnce, WAITING_MAX, RETRY_AFTER_SECONDS);
  const owned = new Map<string, number>();
  async function inTurn<T>(owner: string, bytes: Uint8Array, work: () => Promise<T>): Promise<T> {
    if (bytes.length > IMAGE_MAX_BYTES) throw new AppError('too_large');
    const own = (owned.get(owner) ?? 0) + 1;
    if (own > PER_OWNER_MAX) throw new AppError('too_many', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    owned.set(owner, own);
    try {
      return await gate.run(work);
    } finally {
      const left = (owned.get(owner) ?? 1) - 1;
      if (left === 0) owned.delete(owner);
      else owned.set(owner, left);
    }
  }
  return {
    make: (owner, bytes, size) => inTurn(owner, bytes, () => makeImage(bytes, size, 'first frame')),
    makeWithThumbnail: (owner, bytes, size, thumbnailSize) =>
      inTurn(owner, bytes, async () => {
        const image = await makeImage(bytes, size, 'all frames');
        return { image, thumbnail: await makeImage(image.bytes, thumbnailSize, 'first frame') };
      }),
  };
}

async function makeImage(bytes: Uint8Array, size: ImageSize, kept: 'first frame' | 'all frames'): Promise<Image> {
  const { width, height, fit } = size;
  try {
    const { decoder, isAnimated } = await decoderOf(bytes, kept === 'all frames');
    // An animation has no orientation: its frames lie one below the other here.
    const made = await (isAnimated ? decoder : decoder.autoOrient())
      .resize(width, height, { fit, withoutEnlargement: fit === 'inside' })
      .webp({ quality: QUALITY, ...(isAnimated ? { effort: ANIMATION_EFFORT } : {}) })
      .timeout({ seconds: TIME_MAX_S })
      .toBuffer({ resolveWithObject: true });
    return { bytes: made.data, width: made.info.width, height: made.info.pageHeight ?? made.info.height };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isOutOfTime = error instanceof Error && error.message.startsWith('timeout');
    throw new AppError(isOutOfTime ? 'too_large' : 'wrong_type', {}, { cause: error });
  }
}

/** Checks the size in the image's header before decoding: a few kilobytes can claim 65,535 × 65,535 pixels. */
async function decoderOf(
  bytes: Uint8Array,
  isAnimationKept: boolean,
): Promise<{ decoder: Sharp; isAnimated: boolean }> {
  if (isBmp(bytes)) {
    const header = readBmpHeader(bytes);
    refuseHuge(header);
    const { data, width, height } = await decodeBmp(bytes, header);
    return { decoder: sharp(data, { raw: { width, height, channels: 4 } }), isAnimated: false };
  }
  const { width, height, pages = 1 } = await sharp(bytes, { limitInputPixels: false }).metadata();
  const isAnimated = isAnimationKept && pages > 1;
  refuseHuge({ width, height: isAnimated ? height * pages : height });
  return {
    decoder: sharp(bytes, { limitInputPixels: IMAGE_MAX_PIXELS, failOn: 'error', animated: isAnimated }),
    isAnimated,
  };
}

function refuseHuge({ width, height }: { width: number; height: number }): void {
  if (width * height > IMAGE_MAX_PIXELS) throw new AppError('too_large');
}
