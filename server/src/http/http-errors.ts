import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorCode } from '@pressel/contract/errors';
import type { FastifyError, FastifyInstance } from 'fastify';
import { databaseTrouble } from '#src/db/errors.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import { AppError, failureBody } from '#src/shared/app-error.ts';

/** Answers to requests that Node's HTTP parser refused, by its error code. All others are `malformed`. */
const REFUSALS: Record<string, { status: number; code: ErrorCode }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'too_slow' },
  HPE_HEADER_OVERFLOW: { status: 431, code: 'too_large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too_large' },
};

/** Fastify's `clientErrorHandler`. Writes to the socket, because there is no request and reply object yet. */
export function answerClientError(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code } = REFUSALS[error.code ?? ''] ?? { status: 400, code: 'malformed' };
  writeRefusal(socket, status, code);
}

/** Ignores unknown expectations of requests (RFC 9110 §10.1.1): Node's 417 has no body. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Ends a request whose body is incomplete: answers 408 unless an answer has begun, and closes the connection. */
export function endTooSlow({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent || !socket.writable) socket.destroy();
  else writeRefusal(socket, 408, 'too_slow');
}

function writeRefusal(socket: Socket, status: number, code: ErrorCode): void {
  const body = JSON.stringify(failureBody(code));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

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
