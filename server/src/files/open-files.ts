import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#src/config/config.ts';
import type { FileStore } from './file-store.ts';
import { createFolder } from './folder.ts';

/**
 * Opens this installation's store of files: the bucket of FILES_URL, else DATA_DIR/files. The server starts even if the store can't be
 * reached: everything but images works without it.
 * @throws FilesStartError the store answers, and will never accept our keys
 */
export async function openFiles(
  { dataDir, s3 }: Pick<Config, 'dataDir' | 's3'>,
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>,
): Promise<FileStore> {
  if (s3 === null) return createFolder(dataDir, log);
  // Loaded here, so that installations without a bucket don't wait for it.
  const { openBucket } = await import('./s3.ts');
  return openBucket(s3, { log });
}
