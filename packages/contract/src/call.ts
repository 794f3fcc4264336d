import type { ErrorCode } from './errors.ts';
import { onDemand, type z } from './zod.ts';

/**
 * The callers who may make a call at all. The feature's policy decides what they may do to which object. `guest`: only guests, who can make
 * no other calls than these and the public ones (GUEST6).
 */
export type Access = 'public' | 'guest' | 'member' | 'admin';

/** One HTTP call as a value: server routes, web client, tests and API reference all derive from it. */
export interface Call<
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  A extends Access = Access,
> {
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  readonly access: A;
  readonly summary: string;
  readonly body: Body;
  readonly reply: Reply;
  /** Error codes in addition to `COMMON_ERRORS`. The server logs `undeclared_error` when it answers another code. */
  readonly errors: readonly ErrorCode[];
  /** Says for the reference when this call answers some of them. */
  readonly errorsNote?: string;
  /** Maximum size of the body; CALL_MAX_BYTES by default. */
  readonly maxBytes?: number;
  /** The body is multipart/form-data (RFC 7578) with a file in this field; `body` is its other fields. */
  readonly file?: string;
  /** The answer is a stream of text instead of `reply`. The handler sets its type; refusals are those of every call. */
  readonly streams?: true;
  /** Points that a call takes from its session's allowance: one for about 4 ms of the server's work on a large team. */
  readonly cost: number;
  readonly work: Work;
}

/**
 * How a call runs beside others. `light`: each user may have several at once. `heavy`: it reads much, so only few run at once, one for each
 * user, and the users take turns. `long`: most of its time goes into something that has a queue of its own, such as a password, an image,
 * an import or a search. Such a call holds no place of the other two kinds while it waits there.
 */
export type Work = 'light' | 'heavy' | 'long';

/** Error codes that any call can answer. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'malformed',
  'unauthenticated',
  'forbidden',
  'wrong_origin',
  'too_large',
  'wrong_type',
  'too_many',
  'internal',
  'unavailable',
];

/** The cost of a call that names none. */
const DEFAULT_COST = 1;

interface Defined<Body extends z.ZodType, Reply extends z.ZodType, A extends Access>
  extends Omit<Call, 'access' | 'body' | 'reply' | 'cost' | 'work'>,
    Partial<Pick<Call, 'cost' | 'work'>> {
  access: A;
  body: () => Body;
  reply: () => Reply;
}

/** Defines a call. Its schemas are made when they are first read. */
/* @__NO_SIDE_EFFECTS__ */
export function defineCall<Body extends z.ZodType, Reply extends z.ZodType, A extends Access>({
  body,
  reply,
  ...call
}: Defined<Body, Reply, A>): Call<Body, Reply, A> {
  const bodyOnDemand = onDemand(body);
  const replyOnDemand = onDemand(reply);
  return {
    cost: DEFAULT_COST,
    work: 'light',
    ...call,
    get body() {
      return bodyOnDemand();
    },
    get reply() {
      return replyOnDemand();
    },
  };
}

export type CallInput<C extends Call> = z.input<C['body']>;
export type CallReply<C extends Call> = z.output<C['reply']>;

/** The header that carries the session's token (spec §6). */
export const TOKEN_HEADER = 'x-access-token';
