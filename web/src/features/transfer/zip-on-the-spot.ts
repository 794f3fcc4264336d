// What the spreadsheet libraries take of fflate (vite.config.ts puts this file in its place). They ask for its
// asynchronous calls, which start workers from blob: addresses. Our pages forbid those, and fflate then waits for ever;
// the libraries run in a worker of ours anyway, so here it all happens on the spot.
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
