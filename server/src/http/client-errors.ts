import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@pressel/contract/errors';
import { failureBody } from '#src/shared/app-error.ts';

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
