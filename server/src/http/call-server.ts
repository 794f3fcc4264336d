import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Access, Call, Work } from '@pressel/contract/call';
import { COMMON_ERRORS } from '@pressel/contract/call';
import { CALL_MAX_BYTES, POINT_BYTES } from '@pressel/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type Authenticate, ownerOf, type Session } from '#src/accounts/session.ts';
import { loggedAddress } from '#src/addresses/client-address.ts';
import { addressKey } from '#src/limits/rate-limit.ts';
import { isNoted, type Refusals } from '#src/limits/refusals.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import { AppError, parseLongInput } from '#src/shared/app-error.ts';
import { createYielder, type Pause, parseInPieces, stringifyInPieces } from '#src/shared/in-pieces.ts';
import { paidBy, tokenOf } from './admission.ts';
import type { Budget, Payer } from './budget.ts';
import { boundaryOf, readForm, type UploadedFile } from './multipart.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path of a call of the contract. */
    call?: string;
  }
}

/** The caller, as far as a handler knows it. `session` is non-null unless the call is public. */
export interface CallContext<S extends Session | null> {
  readonly session: S;
  /** The peer's address, for rate limits. */
  readonly address: string;
  /** The address as the activity log stores it; null when it is none. */
  readonly loggedAddress: string | null;
  readonly headers: IncomingHttpHeaders;
  /** The uploaded file; never null where the contract names one. */
  readonly file: UploadedFile | null;
  /** Aborted when the connection is closed before the answer. */
  readonly signal: AbortSignal;
  /** Makes the browser store a cookie, written as in RFC 6265. */
  setCookie(cookie: string): void;
}

type SessionOf<A extends Access> = A extends 'public' ? Session | null : Session;

export type ServeCall = <Body, Reply, A extends Access>(
  call: Call<z.ZodType<Body>, z.ZodType<unknown, Reply>, A>,
  handle: (body: Body, context: CallContext<SessionOf<A>>) => Promise<Reply>,
) => void;

/**
 * Serves calls of the contract on a Fastify instance, each in the same order: authenticate, check the role, read the body,
 * validate, act, present. Authentication comes before the body: an import's is a thousand times larger than a sign-in's.
 * Fields that the reply's schema doesn't name are dropped.
 */
export function createCallServer(app: FastifyInstance, deps: CallServerDeps): ServeCall {
  const { refusals, budget, metrics, createPause = createYielder } = deps;
  const callers = new WeakMap<FastifyRequest, Session | null>();
  const payers = new WeakMap<FastifyRequest, Payer>();
  /** Requests whose body had not fully arrived when they were authenticated. */
  const partiallyReceived = new WeakSet<FastifyRequest>();
  const admit = async (request: FastifyRequest, call: Call): Promise<void> => {
    // A guest's token is invalid for all other calls (GUEST6).
    const token = tokenOf(request);
    const authenticate = call.access === 'guest' ? deps.authenticateGuest : deps.authenticate;
    const session = token === undefined ? null : await authenticate(token, request.ip);
    callers.set(request, session);
    if (token !== undefined && session === null) budget.unknown(token, addressKey(request.ip));
    const payer =
      token !== undefined && session !== null
        ? budget.known(token, ownerOf(session))
        : budget.payerOf(undefined, addressKey(request.ip));
    if (session !== null && !payers.has(request)) payOwn(payer, paidBy(request.raw));
    payers.set(request, payer);
    requireRole(session, call);
  };
  // Read whole, within the call's limit: images are decoded from memory anyway, and an aborted upload leaves nothing.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => body,
  );
  app.addHook('onResponse', async (request, reply) => {
    metrics.requested(request.routeOptions.config.call ?? null, reply.statusCode, reply.elapsedTime / 1_000);
  });
  app.addHook('onError', async (request, _reply, error) => {
    if (!isNoted(error)) return;
    const userId = callers.get(request)?.userId ?? null;
    const { url = null } = request.routeOptions;
    refusals.note('call_refused', addressKey(request.ip), { code: error.code, call: url, userId });
  });
  return (call, handle) => {
    // Made here, so that a wrong schema ends the start rather than a request.
    const { body: bodySchema, reply: replySchema } = call;
    app.route({
      method: call.method,
      url: call.path,
      bodyLimit: call.maxBytes ?? CALL_MAX_BYTES,
      config: { call: call.path },
      onRequest: async (request) => {
        await admit(request, call);
        // The turnstile took the first point.
        payers.get(request)?.pay(call.cost - 1);
        requireBodyType(request, call);
        if (!hasWholeBody(request)) partiallyReceived.add(request);
      },
      handler: async (request, reply) => {
        // Authenticate again: a slow upload may end after the session did, or after the role changed.
        if (partiallyReceived.has(request)) await admit(request, call);
        const { input, file } = inputOf(request, call);
        const body = await parseLongInput(bodySchema, input, createPause());
        const session = callers.get(request) ?? null;
        const signal = untilClosed(reply.raw);
        const work = () =>
          handle(body, {
            // Sound for both cases: `admit` throws when a call that is not public has no session.
            session: session as SessionOf<typeof call.access>,
            address: addressKey(request.ip),
            loggedAddress: loggedAddress(request.ip),
            headers: request.headers,
            file,
            signal,
            setCookie: (cookie) => void reply.header('set-cookie', cookie),
          }).catch((error: unknown) => {
            if (error instanceof AppError && !isDeclared(call, error)) {
              request.log.error({ call: call.path, code: error.code }, 'undeclared_error');
            }
            throw error;
          });
        reply.header('cache-control', 'no-store');
        if (call.streams) return sendStream(reply, (await work()) as StreamedText);
        const answer = async (): Promise<string[]> => {
          const result = await work();
          const pause = createPause();
          return stringifyInPieces(await parseInPieces(replySchema, result, pause), pause);
        };
        const gate = session === null ? undefined : deps.gates[call.work];
        const pieces = await (session === null || gate === undefined
          ? answer()
          : gate.run(ownerOf(session), answer, signal));
        return sendPieces(reply, pieces, payers.get(request));
      },
    });
  };
}

export interface CallServerDeps {
  authenticate: Authenticate;
  authenticateGuest: Authenticate;
  refusals: Refusals;
  budget: Budget;
  metrics: Pick<Metrics, 'requested'>;
  /** Queues of calls, by kind of work. Calls without a session skip them: the allowance of their address is enough. */
  gates: Partial<Record<Work, TurnGate>>;
  /** Makes the function that long work awaits between its steps; see createYielder. */
  createPause?: () => Pause;
}

interface TurnGate {
  run<T>(owner: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** The answer of a streaming call, returned by its handler. It is read only as fast as the client takes it. */
export interface StreamedText {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Its iterator's `return` is called when the connection is closed. */
  readonly parts: AsyncIterable<string>;
}

/** A stream's length costs no points: it is read at the client's pace, and an export of a year is long. */
const sendStream = (reply: FastifyReply, { type, headers, parts }: StreamedText) =>
  reply
    .headers(headers)
    .type(type)
    .send(Readable.from(withPauses(parts)));

/** Sends a long answer piece by piece, so that it is compressed in pieces too. Each piece costs points. */
function sendPieces(reply: FastifyReply, pieces: readonly string[], payer: Payer | undefined): FastifyReply {
  reply.type('application/json; charset=utf-8');
  if (pieces.length === 1) return reply.send(pieces[0]);
  return reply.send(Readable.from(withPauses(pieces, ({ length }) => payer?.pay(length / POINT_BYTES))));
}

/** Pauses between the parts, because a quick network would take all of them at once. */
async function* withPauses(parts: AsyncIterable<string> | Iterable<string>, onPart?: (part: string) => void) {
  const pause = createYielder();
  for await (const part of parts) {
    onPart?.(part);
    yield part;
    await pause();
  }
}

/** Aborted when the connection is closed before its answer was sent. */
function untilClosed(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  response.once('close', () => closing.abort(new AppError('unavailable')));
  return closing.signal;
}

/** Whether the contract lists this error for the call. If not, the contract is wrong. */
const isDeclared = ({ errors }: Call, { code }: AppError): boolean =>
  errors.includes(code) || COMMON_ERRORS.includes(code);

/** Accepts forms only where the contract has a file, and nothing else there: checked before the body is read. */
function requireBodyType({ headers }: FastifyRequest, call: Call): void {
  const isForm = /^multipart\/form-data\b/iu.test(headers['content-type'] ?? '');
  const isReadable = call.file === undefined ? !isForm : boundaryOf(headers['content-type']) !== null;
  if (!isReadable) throw new AppError('wrong_type');
}

/** Returns a request's input, to be parsed, and its file. @throws AppError malformed */
function inputOf(request: FastifyRequest, call: Call): { input: unknown; file: UploadedFile | null } {
  if (call.file === undefined) {
    return { input: call.method === 'GET' ? undefined : (request.body ?? {}), file: null };
  }
  const boundary = boundaryOf(request.headers['content-type']);
  const form = boundary !== null && Buffer.isBuffer(request.body) ? readForm(request.body, boundary) : null;
  const refuse = (path: string, code: string) => new AppError('malformed', { issues: [{ path, code }] });
  if (form === null) throw refuse('', 'multipart');
  const file = form.files.get(call.file);
  if (file === undefined) throw refuse(call.file, 'required');
  const known = call.body instanceof z.ZodObject ? Object.keys(call.body.shape) : [];
  if (form.files.size > 1 || Object.keys(form.fields).some((name) => !known.includes(name))) {
    throw refuse('', 'unrecognized_keys');
  }
  return { input: form.fields, file };
}

/**
 * Makes a session pay for a request that its address paid for, because the token was unknown then. Thousands may come before it is known.
 * @throws AppError too_many
 */
function payOwn(payer: Payer, paidBefore: Payer | undefined): void {
  if (paidBefore === undefined || paidBefore.key === payer.key) return;
  const waitMs = payer.waitMs();
  if (waitMs > 0) throw new AppError('too_many', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  payer.pay(1);
}

const hasWholeBody = ({ raw, headers }: FastifyRequest): boolean =>
  raw.complete || raw.readableLength >= Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);

function requireRole(session: Session | null, call: Call): void {
  if (call.access === 'public') return;
  if (session === null) throw new AppError('unauthenticated');
  if (call.access === 'admin' && session.role !== 'admin') throw new AppError('forbidden');
}

/** Some payloads of the specification carry the caller's id. It identifies nobody, but a wrong one is refused. */
export function requireSelf(session: Session, claimed: string | undefined): void {
  if (claimed !== undefined && claimed !== session.userId) throw new AppError('forbidden');
}
