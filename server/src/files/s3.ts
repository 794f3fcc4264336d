import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { S3mini } from 's3mini';
import type { S3Config } from '#src/config/config.ts';
import { type FileStore, FilesStartError, LIST_PIECE, requireName, unavailable } from './file-store.ts';

/** How long to wait for a store, ms. */
interface Patience {
  /** Limit for the beginning of an answer, including the upload before it, and for each further part. */
  answerMs: number;
  /** Pause between two attempts. */
  pauseMs: number;
  /** While the store is away, one request in this time checks whether it is back. All others fail at once. */
  probeMs: number;
}

const PATIENCE: Patience = { answerMs: 8_000, pauseMs: 250, probeMs: 1_000 };
const ATTEMPTS = 3;
/** Failures that a retry may pass: a busy store, or an upload that was damaged or broke off. */
const PASSING_STATUSES = new Set([408, 409, 425, 429]);
const PASSING_CODES = new Set(['BadDigest', 'IncompleteBody', 'RequestTimeout']);

/** A store's error, or its silence. It goes to the log, so it holds neither names nor keys. */
class S3Fault extends Error {
  /** The code of S3, or the status where there is none; without an answer the network's code. */
  readonly code: string;
  readonly mayPass: boolean;
  constructor(status: number | null, code: string) {
    super(status === null ? code : `${status} ${code}`);
    this.code = code;
    this.mayPass = status === null || status >= 500 || PASSING_STATUSES.has(status) || PASSING_CODES.has(code);
  }
}

/**
 * Sends requests to a store, each with a time limit, and repeats them while it may be away. `send` returns the store's answer, or a 404
 * for a missing object. @throws AppError unavailable, caused by an S3Fault
 */
function createRequests(log: Pick<FastifyBaseLogger, 'error' | 'info'>, patience: Patience) {
  const closing = new AbortController();
  let trouble: S3Fault | null = null;
  let nextProbeAt = 0;

  /** Logs once when the store becomes unavailable, and once when it is back. */
  const note = (fault: S3Fault | null): void => {
    if (closing.signal.aborted) return;
    if (fault !== null && trouble === null) log.error({ reason: fault.message }, 'files_unavailable');
    if (fault === null && trouble !== null) log.info('files_back');
    trouble = fault;
  };

  const attempt = async (...[input, init]: Parameters<typeof fetch>): Promise<Response | S3Fault> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), patience.answerMs);
    try {
      const response = await fetch(input, {
        ...init,
        // Stored content must come as it is.
        headers: { ...(init?.headers as Record<string, string>), 'accept-encoding': 'identity' },
        redirect: 'manual',
        signal: AbortSignal.any([late.signal, closing.signal]),
      });
      const isObject = init?.method === 'GET' && new URL(String(input)).search === '';
      if (!isObject || !response.ok)
        return answered(response.status, await response.text(), { isObject, method: init?.method });
      if (response.body === null) return response;
      const { status, headers } = response;
      const parts = ReadableStream.from(inTime(response.body, patience.answerMs, late));
      return new Response(parts as unknown as NonNullable<Response['body']>, { status, headers });
    } catch (error) {
      return new S3Fault(null, late.signal.aborted ? 'NoAnswerInTime' : networkCode(error));
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async send(...request: Parameters<typeof fetch>): Promise<Response> {
      let left = ATTEMPTS;
      if (trouble?.mayPass === true) {
        if (performance.now() < nextProbeAt) throw unavailable(new S3Fault(null, 'Away'));
        nextProbeAt = performance.now() + patience.probeMs;
        left = 1;
      }
      for (;;) {
        const answer = await attempt(...request);
        left -= 1;
        if (!(answer instanceof S3Fault)) {
          note(null);
          return answer;
        }
        if (!answer.mayPass || left === 0 || closing.signal.aborted) {
          note(answer);
          throw unavailable(answer);
        }
        await sleep(patience.pauseMs);
      }
    },

    close: () => closing.abort(),
  };
}

/** Interprets an answer that isn't an object's content. A missing object is a valid answer, too. */
function answered(
  status: number,
  text: string,
  { isObject, method }: { isObject: boolean; method: string | undefined },
): Response | S3Fault {
  const code = /<Code>(\w{1,60})<\/Code>/u.exec(text)?.[1] ?? String(status);
  if (status === 404 && isObject && code !== 'NoSuchBucket') return new Response(text, { status });
  if (status < 200 || status > 299) return new S3Fault(status, code);
  // Another program that listens there may answer with a page.
  if (method === 'GET' && !text.includes('<ListBucketResult')) return new S3Fault(status, 'NotS3');
  return new Response(status === 204 ? null : text, { status });
}

/** Yields the parts of an answer, as long as each comes in time. The reader's own time doesn't count. */
async function* inTime(
  body: NonNullable<Response['body']>,
  partMs: number,
  late: AbortController,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const timer = setTimeout(() => late.abort(), partMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    // A reader that stops early must not leave the connection waiting.
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns the code without the message, which may hold an address. */
function networkCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  for (const one of [cause?.code, code]) if (typeof one === 'string') return one;
  return 'NoAnswer';
}

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
