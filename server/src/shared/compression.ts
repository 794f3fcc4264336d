import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Below this a reply is about one packet anyway. */
const THRESHOLD_BYTES = 1_024;

/**
 * Compresses JSON replies. Built files bring their own compressed twins, images are compressed already.
 * Bodies of requests stay as they come: a compressed one of a few kilobytes could be gigabytes.
 */
export async function compressReplies(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    globalDecompression: false,
    threshold: THRESHOLD_BYTES,
    encodings: ['br', 'gzip'],
    customTypes: /^application\/json/u,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
}
