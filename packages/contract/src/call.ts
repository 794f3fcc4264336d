import type * as z from 'zod';
import type { ErrorCode } from './errors.ts';

/** Who may make a call at all. What they may do to which thing is decided by the feature's policy. */
export type Access = 'public' | 'member' | 'admin';

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
  /** Codes beyond those that any call can answer (`COMMON_ERRORS`). The server says so when it answers another. */
  readonly errors: readonly ErrorCode[];
  /** How large a body may be; CALL_MAX_BYTES unless told. */
  readonly maxBytes?: number;
}

/** What any call can answer, whatever it is about. */
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

export const defineCall = <Body extends z.ZodType, Reply extends z.ZodType, A extends Access>(
  call: Call<Body, Reply, A>,
) => call;

export type CallInput<C extends Call> = z.input<C['body']>;
export type CallReply<C extends Call> = z.output<C['reply']>;

/** The header that carries the session's token (spec §6). */
export const TOKEN_HEADER = 'x-access-token';
