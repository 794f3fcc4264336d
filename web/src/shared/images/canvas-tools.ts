import type { ImageTools } from './shrink.ts';

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
