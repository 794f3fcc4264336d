import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '#src/config.ts';
import type { FileStore } from './file-store.ts';
import { createFolder } from './folder.ts';

/**
 * Opens where this installation keeps its files: the bucket of FILES_URL, else DATA_DIR/files. A store that can't be reached is no reason
 * not to start: all but images works without it.
 * @throws FilesStartError the store answers, and will never let us in
 */
export async function openFiles(
  { dataDir, s3 }: Pick<Config, 'dataDir' | 's3'>,
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>,
): Promise<FileStore> {
  if (s3 === null) return createFolder(dataDir, log);
  // Loaded here, so that whoever has no bucket doesn't wait for it.
  const { openBucket } = await import('./s3.ts');
  return openBucket(s3, { log });
}
