import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { failure } from '@pressel/contract/errors';
import { ApiError } from './api-error.ts';

/** Default time limit of a call. */
const CALL_TIMEOUT_MS = 15_000;

/** Makes the contract's calls. Rejects with ApiError only. */
export interface Api {
  call<C extends Call>(call: C, input: CallInput<C>, options?: CallOptions): Promise<CallReply<C>>;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** For slow calls; CALL_TIMEOUT_MS by default. */
  timeoutMs?: number;
}

export interface ApiDeps {
  fetch: typeof fetch;
  readToken: () => string | undefined;
  /** Called when the server refuses the token that a call was sent with. */
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
        // Cancelled by the caller: rethrown unchanged, because TanStack Query handles it.
        if (options?.signal?.aborted) throw cause;
        throw new ApiError(timeout.aborted ? 'timeout' : 'unreachable', {}, { cause });
      }
      const refused = failure.safeParse(body);
      if (refused.success) {
        const { code, params } = refused.data;
        if (code === 'unauthenticated' && token !== undefined) deps.onUnauthenticated(token);
        throw new ApiError(code, params);
      }
      // 502 to 504 come from a proxy whose backend is down, with a body of its own.
      if (status >= 502 && status <= 504) throw new ApiError('unreachable');
      const reply = call.reply.safeParse(body);
      if (status >= 400 || !reply.success) throw new ApiError('bad_reply', {}, { cause: reply.error });
      // Sound: parsed by the schema of this call. TypeScript can't relate it to the type parameter C.
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
