import { availableParallelism } from 'node:os';
import { IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS } from '@pressel/contract/limits';
import sharp, { type Sharp } from 'sharp';
import { AppError } from '#src/shared/app-error.ts';
import { decodeBmp, isBmp, readBmpHeader } from '#src/shared/bmp.ts';
import { createGate } from './gate.ts';

/** The format of every image that leaves the server: small, with transparency, known to all browsers. */
export const IMAGE_TYPE = 'image/webp';
/** Of 100. */
const QUALITY = 82;
/** The worst that fits into the limits takes a second of one core; a machine that is busy gets ten. */
const TIME_MAX_S = 10;
const WAITING_MAX = 64;
const PER_OWNER_MAX = 16;
const RETRY_AFTER_SECONDS = 2;
/** libvips has decoders for dozens of formats. Only these are fed with what strangers send. */
const DECODERS = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer'].map((name) => `VipsForeignLoad${name}`);

/** How large to make an image. `cover` fills the size and cuts off what is beyond; `inside` keeps all of it. */
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
   * Makes an image of IMAGE_TYPE from a JPEG, PNG, BMP, GIF or WebP, whatever it was called. Decoded from beginning to
   * end; turned as its metadata says, which then goes: no place, no camera, no comment, nothing behind its end. Of an
   * animation the first picture.
   * @param owner who has it made: nobody fills the queue alone
   * @throws AppError wrong_type, too_large (bytes, pixels or time), too_many, unavailable
   */
  make(owner: string, bytes: Uint8Array, size: ImageSize): Promise<Image>;
}

/**
 * Makes images on the threads of libuv, one thread each. One core stays with the thread that answers calls and talkers:
 * without that a floor request waits for its share of the processor.
 */
export function createImages(atOnce: number = Math.max(1, availableParallelism() - 1)): Images {
  // Settings of the whole process, the same however often they are made.
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  const gate = createGate(atOnce, WAITING_MAX, RETRY_AFTER_SECONDS);
  const owned = new Map<string, number>();
  return {
    async make(owner, bytes, size) {
      if (bytes.length > IMAGE_MAX_BYTES) throw new AppError('too_large');
      const own = (owned.get(owner) ?? 0) + 1;
      if (own > PER_OWNER_MAX) throw new AppError('too_many', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      owned.set(owner, own);
      try {
        return await gate.run(() => makeImage(bytes, size));
      } finally {
        const left = (owned.get(owner) ?? 1) - 1;
        if (left === 0) owned.delete(owner);
        else owned.set(owner, left);
      }
    },
  };
}

async function makeImage(bytes: Uint8Array, { width, height, fit }: ImageSize): Promise<Image> {
  try {
    const decoder = await decoderOf(bytes);
    const made = await decoder
      .autoOrient()
      .resize(width, height, { fit, withoutEnlargement: fit === 'inside' })
      .webp({ quality: QUALITY })
      .timeout({ seconds: TIME_MAX_S })
      .toBuffer({ resolveWithObject: true });
    return { bytes: made.data, width: made.info.width, height: made.info.height };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isOutOfTime = error instanceof Error && error.message.startsWith('timeout');
    throw new AppError(isOutOfTime ? 'too_large' : 'wrong_type', {}, { cause: error });
  }
}

/** Looks at the size that an image says to have before any of it is decoded: a few kilobytes can say 65,535 × 65,535. */
async function decoderOf(bytes: Uint8Array): Promise<Sharp> {
  if (isBmp(bytes)) {
    const header = readBmpHeader(bytes);
    refuseHuge(header);
    const { data, width, height } = await decodeBmp(bytes, header);
    return sharp(data, { raw: { width, height, channels: 4 } });
  }
  refuseHuge(await sharp(bytes, { limitInputPixels: false }).metadata());
  return sharp(bytes, { limitInputPixels: IMAGE_MAX_PIXELS, failOn: 'error' });
}

function refuseHuge({ width, height }: { width: number; height: number }): void {
  if (width * height > IMAGE_MAX_PIXELS) throw new AppError('too_large');
}
