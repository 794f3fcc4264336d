import type { IncomingHttpHeaders } from 'node:http';
import type { Access, Call } from '@pressel/contract/call';
import { COMMON_ERRORS, TOKEN_HEADER } from '@pressel/contract/call';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { AppError, parseInput } from './app-error.ts';
import { addressKey } from './rate-limit.ts';
import { isNoted, type Refusals } from './refusals.ts';
import type { Authenticate, Session } from './session.ts';

/** What a handler knows of its caller. `session` is non-null unless the call is public. */
export interface CallContext<S extends Session | null> {
  readonly session: S;
  /** The peer's address, for rate limits. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  /** Has the browser keep a cookie, written as RFC 6265 has it. */
  setCookie(cookie: string): void;
}

type SessionOf<A extends Access> = A extends 'public' ? Session | null : Session;

export type ServeCall = <Body, Reply, A extends Access>(
  call: Call<z.ZodType<Body>, z.ZodType<unknown, Reply>, A>,
  handle: (body: Body, context: CallContext<SessionOf<A>>) => Promise<Reply>,
) => void;

/**
 * Serves calls of the contract on a Fastify instance, each in the same order: authenticate, check the role, read the
 * body, validate, act, present. Authenticates before reading the body: that of an import is a thousand times larger
 * than that of a sign-in. Fields that the reply's schema does not name are dropped.
 */
export function createCallServer(app: FastifyInstance, authenticate: Authenticate, refusals: Refusals): ServeCall {
  const callers = new WeakMap<FastifyRequest, Session | null>();
  /** Requests whose body had not fully arrived when they were authenticated. */
  const partiallyReceived = new WeakSet<FastifyRequest>();
  const admit = async (request: FastifyRequest, call: Call): Promise<void> => {
    const session = await sessionOf(request, authenticate);
    callers.set(request, session);
    requireRole(session, call);
  };
  app.addHook('onError', async (request, _reply, error) => {
    if (!isNoted(error)) return;
    const userId = callers.get(request)?.userId ?? null;
    const { url = null } = request.routeOptions;
    refusals.note('call_refused', addressKey(request.ip), { code: error.code, call: url, userId });
  });
  return (call, handle) => {
    app.route({
      method: call.method,
      url: call.path,
      bodyLimit: call.maxBytes ?? CALL_MAX_BYTES,
      onRequest: async (request) => {
        await admit(request, call);
        if (!hasWholeBody(request)) partiallyReceived.add(request);
      },
      handler: async (request, reply) => {
        // Authenticate again: a slow upload may end after the session did, or after the role changed.
        if (partiallyReceived.has(request)) await admit(request, call);
        const body = parseInput(call.body, call.method === 'GET' ? undefined : (request.body ?? {}));
        const work = handle(body, {
          // Sound for both cases: `admit` throws when a call that is not public has no session.
          session: (callers.get(request) ?? null) as SessionOf<typeof call.access>,
          address: addressKey(request.ip),
          headers: request.headers,
          setCookie: (cookie) => void reply.header('set-cookie', cookie),
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

/** Whether the contract names this error for the call. If it does not, the contract is wrong. */
const isDeclared = ({ errors }: Call, { code }: AppError): boolean =>
  errors.includes(code) || COMMON_ERRORS.includes(code);

const hasWholeBody = ({ raw, headers }: FastifyRequest): boolean =>
  raw.complete || raw.readableLength >= Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);

async function sessionOf(request: FastifyRequest, authenticate: Authenticate): Promise<Session | null> {
  const token = request.headers[TOKEN_HEADER];
  return typeof token === 'string' && token !== '' ? authenticate(token) : null;
}

function requireRole(session: Session | null, call: Call): void {
  if (call.access === 'public') return;
  if (session === null) throw new AppError('unauthenticated');
  if (call.access === 'admin' && session.role !== 'admin') throw new AppError('forbidden');
}

/** Some of the spec's payloads carry the caller's id. It is not used for identification, but a wrong one is refused. */
export function requireSelf(session: Session, claimed: string | undefined): void {
  if (claimed !== undefined && claimed !== session.userId) throw new AppError('forbidden');
}
