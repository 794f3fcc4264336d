import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reference } from './make-reference.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** Serves the reference to anybody: the contract is public, and nothing else is in it. */
export function referenceRoutes(app: FastifyInstance, reference: () => Promise<Reference>): void {
  app.get('/docs', async (request, reply) => {
    const { page, style } = await reference();
    // No script, no frame, nothing from elsewhere: the page is text.
    const policy = `default-src 'none'; style-src 'sha256-${hashOf(style)}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
    return sendUnlessKnown(request, reply, page);
  });
  app.get('/docs/openapi.json', async (request, reply) => {
    const { openApi } = await reference();
    reply.type('application/json; charset=utf-8');
    return sendUnlessKnown(request, reply, openApi);
  });
}

/** A client that has the text by its tag is told so. The tag is weak: what is sent may be compressed. */
function sendUnlessKnown(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const tag = `"${hashOf(text)}"`;
  reply.headers({ etag: `W/${tag}`, 'cache-control': 'no-cache' });
  const known = request.headers['if-none-match'] ?? '';
  return known === '*' || known.includes(tag) ? reply.code(304).send() : reply.send(text);
}
