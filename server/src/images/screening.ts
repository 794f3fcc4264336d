import { crc32 } from 'node:zlib';
import { IMAGE_MAX_PIXELS } from '@pressel/contract/limits';
import { Refusal } from './job.ts';

/**
 * Scans of a JPEG. libjpeg goes through all blocks of the image for each one: 12 ms for 24 megapixels. Cameras and Photoshop
 * write at most 5, libjpeg's progressive mode 10, optimisers about 20.
 */
export const SCANS_MAX = 64;
/** Frames of an animation: two minutes at fifteen a second. Encoding one takes 0.2 ms, however small it is. */
export const FRAMES_MAX = 2_000;

/**
 * Refuses images that take a decoder far longer than others of their bytes and pixels. Removes metadata, which can take even
 * longer and is not kept anyway. It reads only what makes a decoder repeat work; a damaged file is left to the decoder. BMP
 * needs no screening: `readBmpHeader` accepts no compressed one.
 * @returns what to decode: the picture, its colour profile and its orientation
 * @throws Refusal
 */
export function screened(bytes: Uint8Array, isAnimationKept: boolean): Uint8Array {
  const startsWith = (magic: string) =>
    Buffer.from(bytes.subarray(0, magic.length)).equals(Buffer.from(magic, 'latin1'));
  if (startsWith('\xff\xd8')) return screenedJpeg(bytes);
  if (startsWith('\x89PNG')) return screenedPng(bytes);
  if (startsWith('RIFF')) return screenedWebp(bytes);
  if (startsWith('GIF8')) refuseCostlyGif(bytes, isAnimationKept);
  return bytes;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const codeOf = (name: string) => Buffer.from(name, 'latin1').readUInt32BE();

function refuseFrames(frames: number): void {
  if (frames > FRAMES_MAX) throw new Refusal('too_large', 'Too many frames');
}

/** Markers of a JPEG (ITU-T T.81, table B.1). */
const TEM = 0x01;
const SOF0 = 0xc0;
const SOF2 = 0xc2;
const SOF15 = 0xcf;
/** DHT, JPG and DAC: they lie in the range of the frame headers, but are none. */
const NO_FRAME = [0xc4, 0xc8, 0xcc];
const RST0 = 0xd0;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP1 = 0xe1;
const APP15 = 0xef;
const COM = 0xfe;
/** Segments of colour profiles, and of Adobe's colour information. */
const KEPT_APPS = [0xe2, 0xee];
const EXIF_START = Buffer.from('Exif\0\0', 'latin1');

/**
 * Walks through the markers as libjpeg does. A segment is skipped by its length. Between segments lies entropy-coded data, where
 * everything up to a 0xff with a marker behind it is skipped. There `ff 00` is data, further 0xff bytes are fill, and restart and
 * similar markers have no segment.
 */
function screenedJpeg(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let keptUpTo = 0;
  let scans = 0;
  let at = 2;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) break;
    const from = at;
    while (bytes[at] === 0xff) at += 1;
    const marker = bytes[at] ?? EOI;
    at += 1;
    if (marker === EOI) break;
    if (marker === 0 || marker === TEM || (marker >= RST0 && marker <= SOI)) continue;
    const body = at + 2;
    at += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    // Browsers show baseline, extended and progressive images. Arithmetic and lossless coding use other decoders.
    const isFrame = marker >= SOF0 && marker <= SOF15 && !NO_FRAME.includes(marker);
    if (isFrame && marker > SOF2) throw new Refusal('wrong_type', 'JPEG of an unusual coding');
    if (marker === SOS) scans += 1;
    if (scans > SCANS_MAX) throw new Refusal('too_large', 'JPEG of too many scans');
    const isMetadata = marker === COM || (marker >= APP1 && marker <= APP15 && !KEPT_APPS.includes(marker));
    if (!isMetadata) continue;
    kept.push(bytes.subarray(keptUpTo, from));
    keptUpTo = Math.min(at, bytes.length);
    const exif = marker === APP1 ? plainExif(bytes.subarray(body, keptUpTo)) : null;
    if (exif !== null) kept.push(Buffer.from([0xff, APP1, 0, EXIF_START.length + exif.length + 2]), EXIF_START, exif);
  }
  return Buffer.concat([...kept, bytes.subarray(keptUpTo)]);
}

const PNG_SIGNATURE_BYTES = 8;
/** A chunk's length, its name, and the checksum behind its data. */
const CHUNK_FRAME_BYTES = 12;
/** Critical chunks, which every decoder must know, have a name that starts with a capital. */
const isCritical = (name: number): boolean => ((name >>> 24) & 0x20) === 0;
const COLOUR_CHUNKS = ['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP'].map(codeOf);
const EXIF_CHUNK = codeOf('eXIf');

/**
 * libpng limits compressed chunks: the pixels by the header's size, and the colour profile to 8 MB. But it allows a thousand texts
 * of 8 MB each, which libvips copies several times.
 */
function screenedPng(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes);
  const kept = [bytes.subarray(0, PNG_SIGNATURE_BYTES)];
  let at = PNG_SIGNATURE_BYTES;
  while (at + CHUNK_FRAME_BYTES <= bytes.length) {
    const end = at + CHUNK_FRAME_BYTES + view.getUint32(at);
    const name = view.getUint32(at + 4);
    if (isCritical(name) || COLOUR_CHUNKS.includes(name)) kept.push(bytes.subarray(at, end));
    const exif = name === EXIF_CHUNK ? plainExif(bytes.subarray(at + 8, end - 4)) : null;
    if (exif !== null) kept.push(pngChunk(EXIF_CHUNK, exif));
    at = end;
  }
  return Buffer.concat([...kept, bytes.subarray(at)]);
}

function pngChunk(name: number, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.length + CHUNK_FRAME_BYTES);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(name, 4);
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

const RIFF_HEADER_BYTES = 12;
const FRAME = codeOf('ANMF');
const WEBP_EXIF = codeOf('EXIF');
const WEBP_XMP = codeOf('XMP ');

function screenedWebp(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes);
  const kept: Uint8Array[] = [];
  let frames = 0;
  let at = RIFF_HEADER_BYTES;
  while (at + 8 <= bytes.length) {
    const name = view.getUint32(at);
    const length = view.getUint32(at + 4, true);
    const end = at + 8 + length + (length % 2);
    if (name === FRAME) frames += 1;
    if (name !== WEBP_EXIF && name !== WEBP_XMP) kept.push(bytes.subarray(at, end));
    const exif = name === WEBP_EXIF ? plainExif(bytes.subarray(at + 8, end)) : null;
    if (exif !== null) kept.push(Buffer.from('EXIF', 'latin1'), uint32Le(exif.length), exif);
    at = end;
  }
  refuseFrames(frames);
  const chunks = Buffer.concat([...kept, bytes.subarray(at)]);
  const size = uint32Le(Math.min(view.getUint32(4, true), chunks.length + 4));
  return Buffer.concat([bytes.subarray(0, 4), size, bytes.subarray(8, RIFF_HEADER_BYTES), chunks]);
}

function uint32Le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;
/** Bytes of a GIF before its global colour table, and of an image's descriptor. */
const GIF_HEADER_BYTES = 13;
const DESCRIPTOR_BYTES = 10;

/** A frame may claim more pixels than the picture has: they are unpacked, and then not shown. */
function refuseCostlyGif(bytes: Uint8Array, isAnimationKept: boolean): void {
  let frames = 0;
  let pixels = 0;
  let at = GIF_HEADER_BYTES + colourTableBytes(bytes[10]);
  for (;;) {
    if (bytes[at] === EXTENSION) {
      at = afterSubBlocks(bytes, at + 2);
    } else if (bytes[at] === IMAGE) {
      frames += 1;
      pixels += uint16Le(bytes, at + 5) * uint16Le(bytes, at + 7);
      // Behind the descriptor come a colour table and the size of the first code.
      at = afterSubBlocks(bytes, at + DESCRIPTOR_BYTES + colourTableBytes(bytes[at + 9]) + 1);
    } else {
      break;
    }
  }
  refuseFrames(frames);
  if (isAnimationKept && pixels > IMAGE_MAX_PIXELS) throw new Refusal('too_large', 'GIF of too many pixels');
}

/** The highest bit says whether there is a table, the lowest three give its size. */
const colourTableBytes = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

const uint16Le = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);

/** Sub-blocks begin with their length; an empty one ends them. */
function afterSubBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += length + 1;
  return at + 1;
}

const ORIENTATION = 0x0112;
const TIFF_START_BYTES = 8;
const ENTRY_BYTES = 12;

/**
 * EXIF that holds only the orientation; null when there is nothing to turn. libexif follows each of thousands of references to
 * other directories: 65 kB take it eight seconds.
 */
function plainExif(exif: Uint8Array): Buffer | null {
  const hasStart = EXIF_START.equals(exif.subarray(0, EXIF_START.length));
  const orientation = orientationOf(Buffer.from(exif.subarray(hasStart ? EXIF_START.length : 0)));
  if (orientation === null) return null;
  const plain = Buffer.alloc(TIFF_START_BYTES + 2 + ENTRY_BYTES + 4);
  plain.write('II*\0\x08', 'latin1');
  // One entry: its tag, its type (two bytes), its count, its value.
  for (const [index, value] of [1, ORIENTATION, 3, 1, 0, orientation].entries())
    plain.writeUInt16LE(value, TIFF_START_BYTES + index * 2);
  return plain;
}

/** Reads the first directory of a TIFF (TIFF 6.0, section 2). */
function orientationOf(tiff: Buffer): number | null {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const uint16 = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const uint32 = (at: number) =>
    isLittle ? uint16(at) + uint16(at + 2) * 65_536 : uint16(at) * 65_536 + uint16(at + 2);
  const directory = uint32(4);
  // Reads no more entries than fit: each of thousands of small segments may claim 65,535 of them.
  const entries = Math.min(uint16(directory), Math.ceil((tiff.length - directory - 2) / ENTRY_BYTES));
  for (let index = 0; index < entries; index += 1) {
    const entry = directory + 2 + index * ENTRY_BYTES;
    if (uint16(entry) !== ORIENTATION) continue;
    const value = uint16(entry + 8);
    return value >= 2 && value <= 8 ? value : null;
  }
  return null;
}

/**
 * Whether a colour profile is a program: a chain of elements that each colour passes through, a hundred thousand of them in a
 * megabyte (ICC.1:2022, 10.16). Colours are converted without such a profile.
 */
export const isCostlyProfile = (profile: Buffer): boolean => profile.includes('mpet');
