import type { Page } from '@playwright/test';

/** A mark in the metadata of `jpegWithPlace`: if it is in what is served, the position is there too. */
export const POSITION_MARK = 'GPSMARK 48.8584 N 2.2945 E';

/** A photo of more than 1 MB, 2400 × 1600, whose EXIF tells where it was taken. Painted by the page's browser. */
export async function jpegWithPosition(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 2_400;
    canvas.height = 1_600;
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('No canvas');
    const image = context.createImageData(canvas.width, canvas.height);
    // Adds grain, which no encoder makes small.
    for (let at = 0; at < image.data.length; at += 4) {
      const grain = Math.random() * 80;
      image.data.set([((at / 96) & 127) + grain, 90 + grain, 150 + grain, 255], at);
    }
    context.putImageData(image, 0, 0);
    return canvas.toDataURL('image/jpeg', 0.92).split(',')[1] ?? '';
  });
  const jpeg = Buffer.from(base64, 'base64');
  const exif = exifSegment();
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}

/** APP1 (Exif 2.32, 4.5.4): IFD0 with a description and a pointer to a GPS IFD with latitude and longitude. */
function exifSegment(): Buffer {
  const text = Buffer.from(`${POSITION_MARK}\0`, 'latin1');
  const textAt = 8 + 2 + 2 * 12 + 4;
  const gpsAt = textAt + text.length;
  const entry = (tag: number, type: number, count: number, value: number | string) => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16LE(tag, 0);
    bytes.writeUInt16LE(type, 2);
    bytes.writeUInt32LE(count, 4);
    if (typeof value === 'number') bytes.writeUInt32LE(value, 8);
    else bytes.write(value, 8, 'latin1');
    return bytes;
  };
  const directory = (...entries: Buffer[]) => {
    const count = Buffer.alloc(2);
    count.writeUInt16LE(entries.length);
    return Buffer.concat([count, ...entries, Buffer.alloc(4)]);
  };
  const degrees = (...parts: number[]) => {
    const bytes = Buffer.alloc(parts.length * 8);
    parts.forEach((part, index) => {
      bytes.writeUInt32LE(part, index * 8);
      bytes.writeUInt32LE(1, index * 8 + 4);
    });
    return bytes;
  };
  const gpsData = gpsAt + 2 + 4 * 12 + 4;
  const tiff = Buffer.concat([
    Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0]),
    directory(entry(0x010e, 2, text.length, textAt), entry(0x8825, 4, 1, gpsAt)),
    text,
    directory(entry(1, 2, 2, 'N'), entry(2, 5, 3, gpsData), entry(3, 2, 2, 'E'), entry(4, 5, 3, gpsData + 24)),
    degrees(48, 51, 30),
    degrees(2, 17, 40),
  ]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(2 + 6 + tiff.length, 2);
  return Buffer.concat([head, Buffer.from('Exif\0\0', 'latin1'), tiff]);
}
