import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { failure } from '@pressel/contract/errors';
import { ApiError } from './api-error.ts';

/** A call that has no answer after this long counts as failed. */
export const CALL_TIMEOUT_MS = 15_000;

/** Makes the contract's calls. Rejects with ApiError only. */
export interface Api {
  call<C extends Call>(call: C, input: CallInput<C>, options?: CallOptions): Promise<CallReply<C>>;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** For calls that take their time to answer. */
  timeoutMs?: number;
}

export interface ApiDeps {
  fetch: typeof fetch;
  readToken: () => string | undefined;
  /** The server no longer accepts this token. Not called for calls that were made with an older one. */
  onUnauthenticated: (refusedToken: string) => void;
  timeoutMs?: number;
}

export function createApi(deps: ApiDeps): Api {
  const { timeoutMs = CALL_TIMEOUT_MS } = deps;
  return {
    async call(call, input, options) {
      const token = deps.readToken();
      const timeout = AbortSignal.timeout(options?.timeoutMs ?? timeoutMs);
      const signal = options?.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
      let status: number;
      let body: unknown;
      try {
        const response = await deps.fetch(call.path, request(call, input, token, signal));
        status = response.status;
        const text = await response.text();
        body = parseJson(text);
      } catch (cause) {
        // The caller's own cancellation goes through as it is: TanStack Query knows it.
        if (options?.signal?.aborted) throw cause;
        throw new ApiError(timeout.aborted ? 'timeout' : 'unreachable', {}, { cause });
      }
      const refused = failure.safeParse(body);
      if (refused.success) {
        const { code, params } = refused.data;
        if (code === 'unauthenticated' && token !== undefined) deps.onUnauthenticated(token);
        throw new ApiError(code, params);
      }
      // A proxy in front of a server that is down answers 502 to 504 with a page of its own.
      if (status >= 502 && status <= 504) throw new ApiError('unreachable');
      const reply = call.reply.safeParse(body);
      if (status >= 400 || !reply.success) throw new ApiError('bad_reply', {}, { cause: reply.error });
      // The reply was parsed by this very call's schema; only the compiler can't follow C there.
      return reply.data as CallReply<typeof call>;
    },
  };
}

function request(call: Call, input: unknown, token: string | undefined, signal: AbortSignal): RequestInit {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== undefined) headers[TOKEN_HEADER] = token;
  if (call.method === 'GET') return { method: 'GET', headers, signal };
  headers['content-type'] = 'application/json';
  return { method: call.method, headers, signal, body: JSON.stringify(input ?? {}) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
