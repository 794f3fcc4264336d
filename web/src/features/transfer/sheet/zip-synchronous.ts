// Replaces fflate for the spreadsheet libraries (alias in vite.config.ts). They use its asynchronous functions, which
// start workers from blob: URLs. Our Content-Security-Policy forbids these, and fflate then hangs. As the libraries run
// in a worker of ours anyway, these versions are synchronous. They also bound what is unpacked.
import {
  type AsyncZippable,
  strFromU8 as decode,
  strToU8 as encode,
  zipSync as pack,
  type Unzipped,
  unzipSync,
  type Zippable,
} from 'fflate/browser';
import { SheetError } from './sheet.ts';

/** Ten times the unpacked size of ten thousand full rows. Larger files are attacks, or not lists of users. */
export const UNPACKED_MAX_BYTES = 134_217_728;

type Done<T> = (error: unknown, result: T | null) => void;

export const strFromU8 = decode;
export const strToU8 = encode;
export const zipSync = pack;

/**
 * Unpacks an archive's files, at most UNPACKED_MAX_BYTES of them. fflate asks before it unpacks each file, and then
 * takes no more memory than it announced, whatever the file holds. So no second reading of the archive is needed that
 * might disagree.
 * @throws SheetError bomb
 */
export function unpack(archive: Uint8Array, isWanted: (name: string) => boolean = () => true): Unzipped {
  let left = UNPACKED_MAX_BYTES;
  return unzipSync(archive, {
    filter({ name, size, originalSize }) {
      if (!isWanted(name)) return false;
      // A file that isn't packed is copied in its size in the archive.
      left -= Math.max(size, originalSize);
      if (left < 0) throw new SheetError('bomb');
      return true;
    },
  });
}

export function zip(files: AsyncZippable, done: Done<Uint8Array<ArrayBuffer>>): void {
  done(null, pack(files as Zippable));
}

export function unzip(archive: Uint8Array, done: Done<Unzipped>): void {
  let files: Unzipped;
  try {
    files = unpack(archive);
  } catch (error) {
    done(error, null);
    return;
  }
  done(null, files);
}
