import { existsSync } from 'node:fs';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { failureBody } from './app-error.ts';

/** Addresses of the API: an unknown one is an error, not a page. */
const API = /^\/(?:user|device|files|healthz|socket\.io)(?:\/|$|\?)/;

/** Browser safety on every answer: scripts only from here, no framing, no referrer, microphone only for our pages. */
export async function secureHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // Mantine sets style attributes and one style element at run time.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:', 'mediastream:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        workerSrc: ["'self'"],
        frameAncestors: ["'none'"],
        // The console must also work over plain http inside a closed network.
        upgradeInsecureRequests: null,
      },
    },
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('permissions-policy', 'microphone=(self), camera=(self), geolocation=(self)');
  });
}

/** Serves the built web app: files as they are, any other page address as index.html. */
export async function serveWebApp(app: FastifyInstance, webDir: string | null): Promise<void> {
  const isBuilt = webDir !== null && existsSync(webDir);
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: webDir,
      wildcard: false,
      cacheControl: false,
      preCompressed: true,
      setHeaders(response, path) {
        const isHashed = path.includes('/assets/');
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const isPage = request.method === 'GET' && !API.test(request.url) && !request.url.startsWith('/assets/');
    if (isPage && isBuilt) return reply.header('cache-control', 'no-cache').sendFile('index.html');
    return reply.code(404).send(failureBody('not_found'));
  });
}
