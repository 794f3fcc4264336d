import { setImmediate as nextTurn } from 'node:timers/promises';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Bodies are JSON or nothing: an empty one means no fields, any other type is refused with 415.
 * A photo's takes some ten milliseconds to parse and look through. When sixteen of them arrive together they are parsed
 * one in each turn of the event loop, so that a talker's request waits for one of them and not for all.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  let large: Promise<unknown> = Promise.resolve();
  app.removeAllContentTypeParsers();
  // As bytes: put together once, they are half the work of a string that grows by pieces.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return {};
    if (body.length > CALL_MAX_BYTES) {
      large = large.then(() => nextTurn());
      await large;
    }
    return await new Promise((resolve, reject) =>
      parseJson(request, body.toString(), (error, value) => (error ? reject(error) : resolve(value))),
    );
  });
}
