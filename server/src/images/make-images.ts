import { IMAGE_MAX_PIXELS } from '@pressel/contract/limits';
import sharp, { type Sharp } from 'sharp';
import { decodeBmp, isBmp, readBmpHeader } from './bmp.ts';
import { type Image, type ImageJob, type ImageSize, Refusal } from './job.ts';
import { isCostlyProfile, screened } from './screening.ts';

/** 0..100. */
const QUALITY = 82;
/** libwebp's default is 4; for the many frames of an animation it takes twice the time for a twentieth of the bytes. */
const ANIMATION_EFFORT = 2;
/** The only decoders of libvips that are enabled, out of dozens, to limit the attack surface. */
const DECODERS = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer'].map((name) => `VipsForeignLoad${name}`);

/** Settings of the whole process. */
export function setUpDecoders(): void {
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
}

/** @throws Refusal when the bytes are no image, or too large a one */
export async function makeImages({ bytes, sizes, isAnimationKept }: ImageJob): Promise<Image[]> {
  const made: Image[] = [];
  for (const size of sizes) {
    const [first] = made;
    // Further ones are made from the first frame of the first, which is smaller.
    made.push(await makeImage(first?.bytes ?? bytes, size, isAnimationKept && first === undefined));
  }
  return made;
}

async function makeImage(bytes: Uint8Array, size: ImageSize, isAnimationKept: boolean): Promise<Image> {
  const { width, height, fit } = size;
  try {
    const { decoder, isAnimated } = await decoderOf(bytes, isAnimationKept);
    // An animation has no orientation: here its frames lie one below the other.
    const { data, info } = await (isAnimated ? decoder : decoder.autoOrient())
      .resize(width, height, { fit, withoutEnlargement: fit === 'inside' })
      .webp({ quality: QUALITY, ...(isAnimated ? { effort: ANIMATION_EFFORT } : {}) })
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.pageHeight ?? info.height };
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('wrong_type', error instanceof Error ? error.message : '');
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
    const { data, width, height } = decodeBmp(bytes, header);
    return { decoder: sharp(data, { raw: { width, height, channels: 4 } }), isAnimated: false };
  }
  const input = screened(bytes, isAnimationKept);
  const { width, height, pages = 1, icc } = await sharp(input, { limitInputPixels: false }).metadata();
  const isAnimated = isAnimationKept && pages > 1;
  refuseHuge({ width, height: isAnimated ? height * pages : height });
  const decoder = sharp(input, {
    limitInputPixels: IMAGE_MAX_PIXELS,
    failOn: 'error',
    animated: isAnimated,
    ignoreIcc: icc !== undefined && isCostlyProfile(icc),
  });
  return { decoder, isAnimated };
}

function refuseHuge({ width, height }: { width: number; height: number }): void {
  if (width * height > IMAGE_MAX_PIXELS) throw new Refusal('too_large', 'Too many pixels');
}
