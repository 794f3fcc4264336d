import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { makeReference, type Reference, type Sendable } from './make-reference.ts';

/** Compresses nothing per request: a client that asks for another encoding gets none. */
const MADE_ONCE = { compress: false } as const;

/** Serves the reference to anybody: the contract is public, and nothing else is in it. */
function referenceRoutes(app: FastifyInstance, reference: () => Promise<Reference>): void {
  app.get('/docs', MADE_ONCE, async (request, reply) => {
    const { page, styleHash } = await reference();
    // No script, no frame, nothing from elsewhere: the page is text.
    const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
    return send(request, reply, page);
  });
  app.get('/docs/openapi.json', MADE_ONCE, async (request, reply) => {
    const { openApi } = await reference();
    return send(request, reply.type('application/json; charset=utf-8'), openApi);
  });
}

/** Sends a text, or tells a client by its tag that it has it. The tag is weak: all encodings share it. */
function send({ headers }: FastifyRequest, reply: FastifyReply, { hash, bodies }: Sendable): FastifyReply {
  reply.headers({ etag: `W/"${hash}"`, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  const known = headers['if-none-match'] ?? '';
  if (known === '*' || known.includes(`"${hash}"`)) return reply.code(304).send();
  const encoding = encodingFor(String(headers['accept-encoding'] ?? ''));
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.send(bodies[encoding ?? 'identity']);
}

/** The shorter encoding first. Undefined: none (RFC 9110 §12.5.3). */
function encodingFor(accepted: string): 'br' | 'gzip' | undefined {
  const known = new Map(
    accepted
      .toLowerCase()
      .split(',')
      .map((part): [string, boolean] => {
        const [name = '', weight = 'q=1'] = part.split(';').map((text) => text.trim());
        return [name, Number(weight.replace(/^q=/u, '')) > 0];
      }),
  );
  return (['br', 'gzip'] as const).find((one) => known.get(one) ?? known.get('*'));
}

/** The description of calls and events at /docs, made of the contract. It tells nothing of this server but its version. */
export function referenceFeature({ http }: Pick<Platform, 'http'>, { version }: { version: string }): Feature {
  let reference: Promise<Reference> | null = null;
  referenceRoutes(http, () => {
    // Made when somebody asks for it: a server that starts has other things to do.
    reference ??= makeReference(version).catch((error: unknown) => {
      reference = null;
      throw error;
    });
    return reference;
  });
  return { api: undefined };
}
