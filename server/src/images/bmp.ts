/** Raw pixels for sharp: red, green, blue, alpha, rows from the top. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

export interface BmpHeader {
  width: number;
  height: number;
  isTopDown: boolean;
  bits: number;
  /** Offset of the first stored row in the file. */
  dataAt: number;
  /** Bit masks of red, green, blue, alpha; null for images with a palette. */
  masks: readonly [number, number, number, number] | null;
  palette: { at: number; entryBytes: number; entries: number };
}

const RGB = 0;
const BITFIELDS = 3;
const ALPHA_BITFIELDS = 6;
const CORE_HEADER_BYTES = 12;

export const isBmp = (bytes: Uint8Array): boolean => bytes[0] === 0x42 && bytes[1] === 0x4d;

/**
 * Reads a BMP's headers (BITMAPFILEHEADER, and BITMAPCOREHEADER to BITMAPV5HEADER; little-endian). Run-length encoding
 * is not supported: no camera or browser writes it.
 * @throws Error when the bytes are no BMP, have another encoding, or are truncated
 */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dataAt = view.getUint32(10, true);
  const headerBytes = view.getUint32(14, true);
  if (headerBytes === CORE_HEADER_BYTES) {
    const bits = view.getUint16(24, true);
    const size = { width: view.getUint16(18, true), height: view.getUint16(20, true), isTopDown: false };
    return checked(bytes, {
      ...size,
      bits,
      dataAt,
      masks: masksOf(bits),
      palette: { at: 26, entryBytes: 3, entries: 2 ** bits },
    });
  }
  if (headerBytes < 40) throw new Error('Unknown BMP header');
  const bits = view.getUint16(28, true);
  const coding = view.getUint32(30, true);
  if (![RGB, BITFIELDS, ALPHA_BITFIELDS].includes(coding)) throw new Error('Unknown BMP coding');
  const height = view.getInt32(22, true);
  const hasAlpha = coding === ALPHA_BITFIELDS || headerBytes >= 56;
  const mask = (index: number): number => view.getUint32(54 + index * 4, true);
  return checked(bytes, {
    width: view.getInt32(18, true),
    height: Math.abs(height),
    isTopDown: height < 0,
    bits,
    dataAt,
    masks: coding === RGB ? masksOf(bits) : [mask(0), mask(1), mask(2), hasAlpha ? mask(3) : 0],
    palette: { at: 14 + headerBytes, entryBytes: 4, entries: view.getUint32(46, true) || 2 ** bits },
  });
}

/** Default colour masks, for headers without them. */
const masksOf = (bits: number): BmpHeader['masks'] =>
  bits <= 8 ? null : bits === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0x00ff00, 0x0000ff, 0];

/** Rows are padded to multiples of 32 bits. */
const rowBytes = ({ width, bits }: BmpHeader): number => Math.ceil((width * bits) / 32) * 4;

function checked(bytes: Uint8Array, header: BmpHeader): BmpHeader {
  const { width, height, bits, dataAt, masks, palette } = header;
  const isKnown = masks === null ? [1, 4, 8].includes(bits) : [16, 24, 32].includes(bits);
  const paletteEnd = masks === null ? palette.at + palette.entries * palette.entryBytes : 0;
  const dataEnd = dataAt + rowBytes(header) * height;
  if (!isKnown || width <= 0 || height <= 0) throw new Error('Unknown BMP');
  if (paletteEnd > bytes.length || dataEnd > bytes.length) throw new Error('BMP ends early');
  return header;
}

/** Decodes a BMP. Takes up to half a second, so it must run in a process that serves nobody. */
export function decodeBmp(bytes: Uint8Array, header: BmpHeader): Pixels {
  const { width, height, isTopDown, dataAt } = header;
  const data = new Uint8Array(width * height * 4);
  const decodeRow = header.masks === null ? paletteRow(bytes, header, data) : maskedRow(bytes, header, data);
  let isSeen = false;
  for (let row = 0; row < height; row += 1) {
    const source = dataAt + (isTopDown ? row : height - 1 - row) * rowBytes(header);
    isSeen = decodeRow(source, row * width * 4) || isSeen;
  }
  // Some programs write an all-zero alpha channel for opaque images; browsers treat it as opaque too.
  if (!isSeen) for (let at = 3; at < data.length; at += 4) data[at] = 255;
  return { data, width, height };
}

/** Decodes one row to `target`. @returns whether it has a pixel that isn't fully transparent */
type DecodeRow = (source: number, target: number) => boolean;

function paletteRow(bytes: Uint8Array, { width, bits, palette }: BmpHeader, data: Uint8Array): DecodeRow {
  const mask = 2 ** bits - 1;
  return (source, target) => {
    for (let x = 0; x < width; x += 1) {
      const bit = x * bits;
      const index = ((bytes[source + (bit >> 3)] ?? 0) >> (8 - bits - (bit & 7))) & mask;
      const entry = palette.at + Math.min(index, palette.entries - 1) * palette.entryBytes;
      const pixel = target + x * 4;
      data[pixel] = bytes[entry + 2] ?? 0;
      data[pixel + 1] = bytes[entry + 1] ?? 0;
      data[pixel + 2] = bytes[entry] ?? 0;
      data[pixel + 3] = 255;
    }
    return true;
  };
}

function maskedRow(bytes: Uint8Array, { width, bits, masks }: BmpHeader, data: Uint8Array): DecodeRow {
  const pixelBytes = bits / 8;
  const [red, green, blue, alpha] = (masks ?? [0, 0, 0, 0]).map(channelOf);
  return (source, target) => {
    let isSeen = false;
    for (let x = 0; x < width; x += 1) {
      const from = source + x * pixelBytes;
      let value = 0;
      for (let byte = pixelBytes - 1; byte >= 0; byte -= 1) value = (value << 8) | (bytes[from + byte] ?? 0);
      const pixel = target + x * 4;
      data[pixel] = red?.(value) ?? 0;
      data[pixel + 1] = green?.(value) ?? 0;
      data[pixel + 2] = blue?.(value) ?? 0;
      const opacity = alpha?.(value) ?? 255;
      data[pixel + 3] = opacity;
      isSeen ||= opacity > 0;
    }
    return isSeen;
  };
}

/** Extracts one colour of a pixel by its mask, 0..255; null when the mask is empty. */
function channelOf(mask: number): ((value: number) => number) | null {
  if (mask === 0) return null;
  const shift = 31 - Math.clz32(mask & -mask);
  const max = mask >>> shift;
  return (value) => Math.round((((value & mask) >>> shift) * 255) / max);
}
