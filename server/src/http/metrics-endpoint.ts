import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { isOwnHost } from '#src/addresses/hosts.ts';
import type { KeptMetrics } from '#src/logs/metrics-registry.ts';
import { AppError } from '#src/shared/app-error.ts';

const PATH = '/metrics';

/** Serves the metrics on the server's own port to readers with the token (OPS2). */
export function serveMetrics(app: FastifyInstance, metrics: KeptMetrics, token: string): void {
  app.get(PATH, async (request, reply) => {
    if (!hasToken(request.raw, token)) throw new AppError('unauthenticated');
    return reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.read());
  });
}

/** Serves the metrics, and nothing else, on a separate port (OPS2). */
export async function listenForMetrics(
  metrics: KeptMetrics,
  { token, listen }: { token: string | null; listen: { port: number; host: string } },
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const refuse = (status: number) => response.writeHead(status).end();
    if (request.method !== 'GET' || request.url?.split('?')[0] !== PATH) return refuse(404);
    if (token !== null && !hasToken(request, token)) return refuse(401);
    // Without a token a page of another site could read them, by a name that it points at this machine (DNS rebinding).
    if (token === null && !isOwnHost(request, null)) return refuse(403);
    metrics.read().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'metrics_failed');
        refuse(500);
      },
    );
  });
  server.listen(listen);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** `Authorization: Bearer …`, as Prometheus sends it (RFC 6750). */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [, given] = /^Bearer +(\S+)$/iu.exec(headers.authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
