import { PHOTO_MAX_BYTES, PHOTO_SIZE_PX } from '@pressel/contract/limits';
import { decode, encode } from 'jpeg-js';
import { AppError } from '#src/shared/app-error.ts';

/** Of 100, as the browser makes them too. */
const QUALITY = 85;
/** A photo as large as is taken needs less than two. */
const MEMORY_MAX_MB = 16;
/** A progressive JPEG has about ten. Each costs a walk through the whole picture, and hundreds fit into a small file. */
const SCANS_MAX = 32;

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
/** Restart markers (RST0 to RST7) and TEM stand alone; any other marker is followed by its length (ITU T.81, B.1.1). */
const isAlone = (marker: number): boolean => marker === 0x01 || isRestart(marker);
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7;
/** Baseline, extended and progressive: those that browsers make and show. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xc2;

/**
 * The picture of a JPEG and nothing else: no place, no camera, no comment, nothing behind its end.
 * @throws AppError wrong_type when it is no whole JPEG, too_large when it has more bytes or pixels than a photo
 */
export function cleanJpeg(bytes: Uint8Array): Buffer {
  if (bytes.length > PHOTO_MAX_BYTES) throw new AppError('too_large');
  const size = sizeOf(bytes);
  if (size === null) throw new AppError('wrong_type');
  if (size.width > PHOTO_SIZE_PX || size.height > PHOTO_SIZE_PX) throw new AppError('too_large');
  try {
    const picture = decode(bytes, {
      useTArray: true,
      tolerantDecoding: false,
      maxResolutionInMP: (PHOTO_SIZE_PX * PHOTO_SIZE_PX) / 1_000_000,
      maxMemoryUsageInMB: MEMORY_MAX_MB,
    });
    return encode({ width: picture.width, height: picture.height, data: picture.data }, QUALITY).data;
  } catch (error) {
    throw new AppError('wrong_type', {}, { cause: error });
  }
}

/** Walks from marker to marker, to the end: what is read by the decoder later is of known size and whole. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } | null {
  const at = (index: number): number => bytes[index] ?? 0;
  const word = (index: number): number => at(index) * 256 + at(index + 1);
  if (at(0) !== 0xff || at(1) !== SOI) return null;
  let size: { width: number; height: number } | null = null;
  let scans = 0;
  let offset = 2;
  while (offset + 1 < bytes.length && at(offset) === 0xff) {
    const marker = at(offset + 1);
    offset += 2;
    if (marker === EOI) return scans > 0 ? size : null;
    if (isAlone(marker)) continue;
    if (isFrame(marker)) {
      if (size !== null) return null;
      size = { height: word(offset + 3), width: word(offset + 5) };
      if (size.width === 0 || size.height === 0) return null;
    }
    offset += Math.max(2, word(offset));
    if (marker !== SOS) continue;
    scans += 1;
    if (scans > SCANS_MAX) return null;
    // Coded data goes on to the next marker; in it 0xff is followed by 0.
    while (offset < bytes.length && !(at(offset) === 0xff && at(offset + 1) !== 0 && !isRestart(at(offset + 1)))) {
      offset += 1;
    }
  }
  return null;
}
