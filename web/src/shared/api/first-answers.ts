/** A call whose answer the first screen needs. */
export interface FirstCall {
  method: 'GET' | 'POST';
  path: string;
  body?: Record<string, unknown>;
}

/** Answers requested before the app's code was loaded. Each is handed out once, to the identical request. */
export interface FirstAnswers {
  take(input: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> | undefined;
}

export interface FirstAnswersDeps {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  token: string | null;
}

/** After this time an answer is out of date, and later callers ask anew. */
export const FRESH_MS = 10_000;

const keyOf = (method: unknown, path: unknown, body: unknown) => `${method} ${path} ${body ?? ''}`;

/** Makes the calls at once, as shared/api/api.ts would. */
export function askFirst(calls: readonly FirstCall[], { fetch, token }: FirstAnswersDeps): FirstAnswers {
  const begun = performance.now();
  const asked = new Map(
    calls.map(({ method, path, body }) => {
      const stop = new AbortController();
      const headers: Record<string, string> = { accept: 'application/json' };
      if (token !== null) headers['x-access-token'] = token;
      if (method === 'POST') headers['content-type'] = 'application/json';
      const text = method === 'POST' ? JSON.stringify(body) : undefined;
      const answer = fetch(path, {
        method,
        headers,
        signal: stop.signal,
        ...(text === undefined ? {} : { body: text }),
      });
      // The caller who takes the answer handles its failure.
      answer.catch(() => undefined);
      return [keyOf(method, path, text), { answer, stop }] as const;
    }),
  );
  return {
    take(input, init) {
      const key = keyOf(init?.method, input, init?.body);
      const first = asked.get(key);
      asked.delete(key);
      const isSame = new Headers(init?.headers).get('x-access-token') === token;
      if (first === undefined || !isSame || performance.now() - begun > FRESH_MS) return undefined;
      const { answer, stop } = first;
      if (init?.signal?.aborted) stop.abort(init.signal.reason);
      else init?.signal?.addEventListener('abort', () => stop.abort(init.signal?.reason), { once: true });
      return answer;
    },
  };
}
