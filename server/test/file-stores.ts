import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type FileStore, LIST_PIECE } from '#src/files/file-store.ts';
import { createFolder } from '#src/files/folder.ts';
import { createBucket } from '#src/files/s3.ts';
import { ownFolder } from './s3-server.ts';

const log = { warn: () => undefined, error: () => undefined, info: () => undefined };

/** moto needs some ten milliseconds for each file. */
const BUCKET_PIECE = 20;

/** A test's own empty store. */
export interface TestStore {
  files: FileStore;
  /** How many files a list gives at once. */
  piece: number;
  remove(): Promise<void>;
}

async function inFolder(): Promise<TestStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pressel-files-'));
  return {
    files: createFolder(dataDir, log),
    piece: LIST_PIECE,
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

async function inBucket(): Promise<TestStore> {
  const bucket = inject('s3');
  if (bucket === null) throw new Error('No S3 server');
  const files = createBucket(ownFolder(bucket), { log, piece: BUCKET_PIECE });
  const remove = async () => {
    for await (const piece of files.list('')) await files.remove(piece.map(({ name }) => name));
    files.close();
  };
  return { files, piece: BUCKET_PIECE, remove };
}

/** Every kind of store that is available here. */
export const STORES = [
  { kind: 'a folder', open: inFolder },
  ...(inject('s3') === null ? [] : [{ kind: 'a bucket', open: inBucket }]),
];
