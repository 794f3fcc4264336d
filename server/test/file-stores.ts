import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type FileStore, LIST_PIECE } from '#src/platform/files/file-store.ts';
import { createFolder } from '#src/platform/files/folder.ts';
import { createBucket } from '#src/platform/files/s3.ts';
import { ownFolder } from './s3-server.ts';

const log = { warn: () => undefined, error: () => undefined, info: () => undefined };

/** Each file takes moto some ten milliseconds. */
const BUCKET_PIECE = 20;

/** An empty store of a test's own. */
export interface TestStore {
  files: FileStore;
  /** Files of one piece of a list. */
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

/** Every kind of store that can be had here. */
export const STORES = [
  { kind: 'a folder', open: inFolder },
  ...(inject('s3') === null ? [] : [{ kind: 'a bucket', open: inBucket }]),
];
