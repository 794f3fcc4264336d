const END_OF_DIRECTORY = 0x06054b50;
const ENTRY = 0x02014b50;
/** The end record is 22 bytes, followed by a comment of at most 65,535. */
const END_MIN = 22;
const COMMENT_MAX = 65_535;

/**
 * Unpacked size of a zip archive by its central directory, in bytes; null if it is no zip archive. fflate allocates
 * exactly the size given there for each file, so a forged directory can't make it use more memory.
 */
export function unpackedSizeOf(bytes: Uint8Array<ArrayBuffer>): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lowest = Math.max(0, bytes.length - END_MIN - COMMENT_MAX);
  let end = bytes.length - END_MIN;
  while (end >= lowest && view.getUint32(end, true) !== END_OF_DIRECTORY) end -= 1;
  if (end < lowest) return null;
  const entries = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  let size = 0;
  for (let entry = 0; entry < entries; entry += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== ENTRY) return null;
    size += view.getUint32(at + 24, true);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return size;
}
