import { setImmediate as nextTurn } from 'node:timers/promises';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Accepts JSON bodies only: an empty one means no fields, other content types are refused with 415. Large bodies are read
 * one after the other. Each takes one turn of the event loop for its text and one for its parsing, so a floor request
 * waits for one step only. Parsing 16 MB takes 5 to 45 ms, depending on its number of values.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const parse = (request: FastifyRequest, text: string): Promise<unknown> =>
    new Promise((resolve, reject) =>
      parseJson(request, text, (error, value) => (error ? reject(error) : resolve(value))),
    );
  let large: Promise<unknown> = Promise.resolve();
  app.removeAllContentTypeParsers();
  // As a buffer: concatenating it once takes half the time of appending to a string.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return Promise.resolve({});
    if (body.length <= CALL_MAX_BYTES) return parse(request, body.toString());
    const parsed = large.then(async () => {
      await nextTurn();
      const text = body.toString();
      await nextTurn();
      return parse(request, text);
    });
    large = parsed.catch(() => undefined);
    return parsed;
  });
}
