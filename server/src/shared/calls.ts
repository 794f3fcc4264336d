import type { Access, Call } from '@pressel/contract/call';
import { COMMON_ERRORS, TOKEN_HEADER } from '@pressel/contract/call';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { AppError, parseInput } from './app-error.ts';
import { addressKey } from './rate-limit.ts';
import type { Authenticate, Session } from './session.ts';

/** What a handler knows of its caller. `session` is there unless the call is public. */
export interface CallContext<S extends Session | null> {
  readonly session: S;
  /** The peer's address, for rate limits. */
  readonly address: string;
}

type SessionOf<A extends Access> = A extends 'public' ? Session | null : Session;

export type ServeCall = <Body, Reply, A extends Access>(
  call: Call<z.ZodType<Body>, z.ZodType<unknown, Reply>, A>,
  handle: (body: Body, context: CallContext<SessionOf<A>>) => Promise<Reply>,
) => void;

/**
 * Serves calls of the contract on a Fastify instance, each in the same order: authenticate, role, read, validate, act,
 * present. Nobody's body is read before it is known whose it is: an import's is a thousand times that of a sign-in.
 * What the reply's schema does not name does not leave the server.
 */
export function createCallServer(app: FastifyInstance, authenticate: Authenticate): ServeCall {
  const callers = new WeakMap<FastifyRequest, Session | null>();
  /** Those whose body was still on its way when we knew who they are. */
  const unread = new WeakSet<FastifyRequest>();
  return (call, handle) => {
    app.route({
      method: call.method,
      url: call.path,
      bodyLimit: call.maxBytes ?? CALL_MAX_BYTES,
      onRequest: async (request) => {
        callers.set(request, await sessionOf(request, call, authenticate));
        if (!hasWholeBody(request)) unread.add(request);
      },
      handler: async (request, reply) => {
        // A body may be sent as slowly as one likes, and its sender be an administrator no more at its end.
        if (unread.has(request)) callers.set(request, await sessionOf(request, call, authenticate));
        const body = parseInput(call.body, call.method === 'GET' ? undefined : (request.body ?? {}));
        const work = handle(body, {
          // The union of both cases is sound: `sessionOf` throws where the call is not public and nobody is signed in.
          session: (callers.get(request) ?? null) as SessionOf<typeof call.access>,
          address: addressKey(request.ip),
        });
        const result = await work.catch((error: unknown) => {
          if (error instanceof AppError && !isDeclared(call, error)) {
            request.log.error({ call: call.path, code: error.code }, 'undeclared_error');
          }
          throw error;
        });
        reply.header('cache-control', 'no-store');
        return call.reply.parse(result);
      },
    });
  };
}

/** What a client can rely on: a refusal that the contract does not name is a fault of the contract. */
const isDeclared = ({ errors }: Call, { code }: AppError): boolean =>
  errors.includes(code) || COMMON_ERRORS.includes(code);

const hasWholeBody = ({ raw, headers }: FastifyRequest): boolean =>
  raw.complete || raw.readableLength >= Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);

async function sessionOf(request: FastifyRequest, call: Call, authenticate: Authenticate): Promise<Session | null> {
  const token = request.headers[TOKEN_HEADER];
  const session = typeof token === 'string' && token !== '' ? await authenticate(token) : null;
  if (call.access === 'public') return session;
  if (session === null) throw new AppError('unauthenticated');
  if (call.access === 'admin' && session.role !== 'admin') throw new AppError('forbidden');
  return session;
}

/** The spec's payloads often name the caller as well. That id is never trusted, but another's is refused. */
export function requireSelf(session: Session, claimed: string | undefined): void {
  if (claimed !== undefined && claimed !== session.userId) throw new AppError('forbidden');
}
