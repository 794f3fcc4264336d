import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Minimum size, bytes: smaller replies fit into about one packet anyway. */
const THRESHOLD_BYTES = 1_024;

/**
 * Compresses replies of JSON and text. Built files are compressed at build time, and image formats are compressed already.
 * Compressed request bodies are refused: a few kilobytes could unpack to gigabytes.
 */
export async function compressReplies(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    globalDecompression: false,
    threshold: THRESHOLD_BYTES,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
}
