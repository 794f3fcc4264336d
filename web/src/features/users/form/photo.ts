import { IMAGE_PICKED_MAX_BYTES, IMAGE_TYPES, PHOTO_SENT_MAX_BYTES, PHOTO_SIZE_PX } from '@pressel/contract/limits';
import { pageSurface } from '#src/shared/images/canvas-tools.ts';

/** JPEG qualities to try, until one is small enough. */
const QUALITIES = [0.9, 0.8, 0.7, 0.55, 0.4, 0.25, 0.1] as const;

export type PhotoFault = 'type' | 'size' | 'unreadable';

/** Returns the fault of a chosen file before it is opened. */
export function fileFault(file: Pick<File, 'type' | 'size'>): PhotoFault | undefined {
  if (!IMAGE_TYPES.some((type) => type === file.type)) return 'type';
  return file.size > IMAGE_PICKED_MAX_BYTES ? 'size' : undefined;
}

/** The square in the middle of a picture, in its pixels. */
export function middleSquare(width: number, height: number): { x: number; y: number; side: number } {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}

/** The first of several encodings that is small enough; undefined when none is. */
export async function smallEnough(encode: (quality: number) => Promise<Blob | null>): Promise<Blob | undefined> {
  for (const quality of QUALITIES) {
    const blob = await encode(quality);
    if (blob !== null && blob.size <= PHOTO_SENT_MAX_BYTES) return blob;
  }
  return undefined;
}

/**
 * Returns the middle of a picture as a small square JPEG, as a data URL. It is turned as its metadata says, and the
 * metadata are dropped.
 */
export async function squarePhoto(file: File): Promise<{ photo: string } | { fault: PhotoFault }> {
  const fault = fileFault(file);
  if (fault !== undefined) return { fault };
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const blob = await smallEnough(jpegOf(picture));
    picture.close();
    return blob === undefined ? { fault: 'unreadable' } : { photo: await dataUrlOf(blob) };
  } catch {
    // There is no helpful name for what a browser can't decode.
    return { fault: 'unreadable' };
  }
}

function jpegOf(picture: ImageBitmap): (quality: number) => Promise<Blob | null> {
  const { context, toBlob } = pageSurface(PHOTO_SIZE_PX, PHOTO_SIZE_PX);
  if (context === null) return async () => null;
  const { x, y, side } = middleSquare(picture.width, picture.height);
  // JPEG has no transparency: white rather than black behind it.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, PHOTO_SIZE_PX, PHOTO_SIZE_PX);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, side, side, 0, 0, PHOTO_SIZE_PX, PHOTO_SIZE_PX);
  return (quality) => toBlob('image/jpeg', quality);
}

const dataUrlOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
