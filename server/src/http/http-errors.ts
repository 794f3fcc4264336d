import { ERRORS, type ErrorCode } from '@pressel/contract/errors';
import type { FastifyError, FastifyInstance } from 'fastify';
import { databaseTrouble } from '#src/db/errors.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import { AppError, failureBody } from '#src/shared/app-error.ts';

/** Codes for Fastify's own errors, by HTTP status. Any other 4xx of the framework becomes `malformed`. */
const CODE_OF_STATUS: Partial<Record<number, ErrorCode>> = {
  404: 'not_found',
  413: 'too_large',
  415: 'wrong_type',
  429: 'too_many',
  503: 'unavailable',
};

/**
 * Turns errors into HTTP answers. Unknown errors become `internal` with the request's id and without their text. `contract` is this
 * server's: a client whose request can't be read may speak another one (APP19).
 */
export function handleErrors(
  app: FastifyInstance,
  { contract, metrics }: { contract: string; metrics: Pick<Metrics, 'failed'> },
): void {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
    const code =
      error instanceof AppError ? error.code : status < 500 ? (CODE_OF_STATUS[status] ?? 'malformed') : 'internal';
    const own = error instanceof AppError ? error.params : {};
    const params = code === 'malformed' ? { ...own, contract } : own;
    const trouble = code === 'internal' ? databaseTrouble(error) : null;
    metrics.failed(trouble === null ? code : 'unavailable');
    if (trouble !== null) {
      const { kind, retryAfterSeconds } = trouble;
      request.log.error({ err: error }, `database_${kind}`);
      reply.header('retry-after', retryAfterSeconds);
      return reply.code(ERRORS.unavailable.status).send(failureBody('unavailable', { retryAfterSeconds }));
    }
    if (code === 'internal' && request.raw.socket.destroyed) {
      // The client has gone, most often with its page; a reply under way then fails as a stream that closed too early.
      request.log.debug({ err: error }, 'asker_gone');
      return reply.code(500).send(failureBody('internal', { requestId: request.id }));
    }
    if (code === 'internal') {
      request.log.error({ err: error }, 'call_failed');
      return reply.code(500).send(failureBody('internal', { requestId: request.id }));
    }
    // With the connection closed, as Fastify would, the rest of the body would meet nobody, and its sender lose this answer.
    if (code === 'too_large') reply.removeHeader('connection');
    if (params.retryAfterSeconds !== undefined) reply.header('retry-after', params.retryAfterSeconds);
    return reply.code(ERRORS[code].status).send(failureBody(code, params));
  });
}
