import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyBaseLogger } from 'fastify';
import { S3mini } from 's3mini';
import type { S3Config } from '#src/config/config.ts';
import { type FileStore, FilesStartError, LIST_PIECE, requireName, unavailable } from './file-store.ts';
import { createRequests, PATIENCE, type Patience, S3Fault } from './s3-requests.ts';

/** The most keys that one request may remove. */
const REMOVED_AT_ONCE = 1_000;

export interface BucketOptions {
  log: Pick<FastifyBaseLogger, 'error' | 'info'>;
  patience?: Patience;
  /** Files on one page of a list. */
  piece?: number;
}

/**
 * The files of an installation in a bucket of an S3 store, which has neither renames nor folders. A file is there, whole, once the
 * store says so.
 */
export function createBucket(
  config: S3Config,
  { log, patience = PATIENCE, piece = LIST_PIECE }: BucketOptions,
): FileStore {
  const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = config;
  const requests = createRequests(log, patience);
  const client = new S3mini({
    endpoint: `${endpoint}/${bucket}`,
    ...{ region, accessKeyId, secretAccessKey, fetch: requests.send },
  });

  const keyOf = (name: string): string => {
    requireName(name);
    return `${prefix}${name}`;
  };

  const page = async (begins: string, max: number, token?: string) => {
    // Lists the bucket itself: its keys are not divided into folders.
    const found = await client.listObjectsPaged('/', begins, max, token);
    const files = (found?.objects ?? []).map(({ Key, Size, LastModified }) => ({
      ...{ name: Key.slice(prefix.length), bytes: Size, modifiedAt: LastModified },
    }));
    return { files, next: found?.nextContinuationToken };
  };

  return {
    async put(name, bytes) {
      // The store compares the checksum with the upload and refuses a damaged one.
      const sum: Record<string, string> = { 'content-md5': createHash('md5').update(bytes).digest('base64') };
      await client.putObject(keyOf(name), Buffer.from(bytes), undefined, undefined, sum);
    },

    async get(name) {
      const response = await client.getObjectResponse(keyOf(name));
      if (response === null) return null;
      const stream = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as ReadableStream);
      return { stream, bytes: Number(response.headers.get('content-length')) };
    },

    async head(name) {
      // The client has no call for both. A list starts with the exact key, before others with this prefix.
      const { files } = await page(keyOf(name), 1);
      const [first] = files;
      return first?.name === name ? { bytes: first.bytes, modifiedAt: first.modifiedAt } : null;
    },

    async remove(names) {
      const keys = names.map(keyOf);
      for (let from = 0; from < keys.length; from += REMOVED_AT_ONCE) {
        const gone = await client.deleteObjects(keys.slice(from, from + REMOVED_AT_ONCE));
        if (gone.includes(false)) throw unavailable(new Error('The store kept files that it was to remove'));
      }
    },

    async *list(folder) {
      let token: string | undefined;
      do {
        const { files, next } = await page(folder === '' ? prefix : `${keyOf(folder)}/`, piece, token);
        if (files.length > 0) yield files;
        token = next;
      } while (token !== undefined);
    },

    async ping() {
      await page(prefix, 1);
    },

    close: requests.close,
  };
}

/** @throws FilesStartError the store answers, and will never accept our keys */
export async function openBucket(config: S3Config, options: BucketOptions): Promise<FileStore> {
  const bucket = createBucket(config, options);
  try {
    await bucket.ping();
  } catch (error) {
    const fault = error instanceof Error ? error.cause : null;
    if (!(fault instanceof S3Fault)) throw error;
    // If the store is away, it may come back, and the log says so.
    if (!fault.mayPass) throw new FilesStartError(adviceOn(fault, config.bucket), { cause: error });
  }
  return bucket;
}

const KEY_FAULTS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AccessDenied', '403', '401']);

function adviceOn({ code, message }: S3Fault, bucket: string): string {
  const store = 'The S3 store of FILES_URL';
  if (code === 'NoSuchBucket') return `${store} has no bucket ${bucket}. Make it, or correct FILES_URL.`;
  if (KEY_FAULTS.has(code)) {
    return `${store} does not let us in (${code}). Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this key rights to the bucket.`;
  }
  return `${store} refuses to work with us (${message}). Correct AWS_ENDPOINT_URL_S3 and AWS_REGION.`;
}
