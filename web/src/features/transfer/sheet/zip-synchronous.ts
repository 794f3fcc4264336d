// Replaces fflate for the spreadsheet libraries (alias in vite.config.ts). They use its asynchronous functions, which
// start workers from blob: URLs. Our Content-Security-Policy forbids these, and fflate then hangs. As the libraries run
// in a worker of ours anyway, these versions are synchronous.
import {
  type AsyncZippable,
  strFromU8 as decode,
  strToU8 as encode,
  type FlateError,
  zipSync as pack,
  type Unzipped,
  unzipSync as unpack,
  type Zippable,
} from 'fflate/browser';

type Done<T> = (error: FlateError | null, result: T) => void;

export const strFromU8 = decode;
export const strToU8 = encode;
export const unzipSync = unpack;
export const zipSync = pack;

export function zip(files: AsyncZippable, done: Done<Uint8Array<ArrayBuffer>>): void {
  done(null, pack(files as Zippable));
}

export function unzip(archive: Uint8Array, done: Done<Unzipped>): void {
  done(null, unpack(archive));
}
