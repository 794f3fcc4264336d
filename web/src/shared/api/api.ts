import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { failure } from '@pressel/contract/errors';
import { ApiError } from './api-error.ts';
import { createPatience, type Patience } from './retry-after.ts';

/** Default time limit of a call, each time that it is made. */
const CALL_TIMEOUT_MS = 15_000;

/** Makes the contract's calls. Rejects with ApiError only. Waits when the server asks for a short wait (`too_many`). */
export interface Api {
  call<C extends Call>(call: C, input: CallInput<C>, options?: CallOptions): Promise<CallReply<C>>;
  /** A call whose answer is a stream (`call.streams`). The time limit is for its beginning. */
  stream<C extends Call>(call: C, input: CallInput<C>, options: { signal: AbortSignal }): Promise<AnswerStream>;
  /** A call whose body is a file (`call.file` names its field), with the other fields before it. */
  upload<C extends Call>(
    call: C,
    input: CallInput<C>,
    file: UploadedFile,
    options?: UploadOptions,
  ): Promise<CallReply<C>>;
}

/** An answer that arrives in parts. */
export interface AnswerStream {
  /** The number of records, by `x-total-records`; undefined when the server doesn't say. */
  total: number | undefined;
  /** Breaks off with the signal's reason, or with ApiError('unreachable'). */
  parts: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

export interface UploadedFile {
  blob: Blob;
  name: string;
}

export interface UploadOptions {
  /** Cancels the upload: it rejects with the signal's reason. Data that the server has already is stored nevertheless. */
  signal?: AbortSignal;
  /** The share that was sent, 0 to 1; called as often as the browser reports it, some times a second. */
  onProgress?: (share: number) => void;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Time limit for slow calls; CALL_TIMEOUT_MS by default. */
  timeoutMs?: number;
  /** Token of the session that this call ends. The page forgets it meanwhile, or is closed, and the call is sent all the same. */
  leaving?: string | undefined;
}

export interface ApiDeps {
  fetch: typeof fetch;
  readToken: () => string | undefined;
  /** Called when the server refuses the token that a call was sent with. */
  onUnauthenticated: (refusedToken: string) => void;
  /** Called when the server, which speaks this contract, could not read a call (APP19), or this page its answer. */
  report?: (contract?: string) => void;
  timeoutMs?: number;
  /** Tells the page when calls wait. */
  patience?: Patience;
  /** Opens an upload, because `fetch` doesn't report how much was sent. */
  openRequest?: () => UploadRequest;
}

export function createApi(deps: ApiDeps): Api {
  const { timeoutMs = CALL_TIMEOUT_MS, openRequest = () => new XMLHttpRequest() } = deps;
  const settle = <C extends Call>(call: C, token: string | undefined, answer: Answer): CallReply<C> => {
    const body = parseJson(answer.text);
    const refused = failure.safeParse(body);
    if (refused.success) {
      const { code, params } = refused.data;
      if (code === 'unauthenticated' && token !== undefined) deps.onUnauthenticated(token);
      if (params.contract !== undefined) deps.report?.(params.contract);
      throw new ApiError(code, params);
    }
    // 502 to 504 come from a proxy whose backend is down, with a body of its own.
    if (answer.status >= 502 && answer.status <= 504) throw new ApiError('unreachable');
    const reply = call.reply.safeParse(body);
    // Any other answer may come from a proxy.
    if (!reply.success && typeof body === 'object' && body !== null && 'success' in body) deps.report?.();
    if (answer.status >= 400 || !reply.success) throw new ApiError('bad_reply', {}, { cause: reply.error });
    // Sound: parsed by the schema of this call. TypeScript can't relate it to the type parameter C.
    return reply.data as CallReply<C>;
  };
  /** @throws ApiError unauthenticated: after sign-out no call is sent any more, not even to be refused */
  const tokenFor = ({ access }: Call, leaving?: string): string | undefined => {
    const token = leaving ?? deps.readToken();
    if (token === undefined && access !== 'public') throw new ApiError('unauthenticated');
    return token;
  };
  /** One attempt of each kind; `patience` repeats it after a refusal as `too_many`. */
  const once: Api = {
    async call(call, input, options) {
      const token = tokenFor(call, options?.leaving);
      const timeout = AbortSignal.timeout(options?.timeoutMs ?? timeoutMs);
      const signal = options?.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
      let answer: Answer;
      try {
        const init = request(call, input, token, signal);
        if (options?.leaving !== undefined) init.keepalive = true;
        const response = await deps.fetch(call.path, init);
        answer = { status: response.status, text: await response.text() };
      } catch (cause) {
        // Cancelled by the caller: rethrown unchanged, because TanStack Query handles it.
        if (options?.signal?.aborted) throw cause;
        throw new ApiError(timeout.aborted ? 'timeout' : 'unreachable', {}, { cause });
      }
      return settle(call, token, answer);
    },
    async stream(call, input, { signal }) {
      const token = tokenFor(call);
      const slow = new AbortController();
      const timer = setTimeout(() => slow.abort(), timeoutMs);
      const failed = (cause: unknown) => {
        if (signal.aborted) return signal.reason;
        return new ApiError(slow.signal.aborted ? 'timeout' : 'unreachable', {}, { cause });
      };
      let response: Response;
      try {
        response = await deps.fetch(call.path, request(call, input, token, AbortSignal.any([signal, slow.signal])));
      } catch (cause) {
        throw failed(cause);
      } finally {
        clearTimeout(timer);
      }
      const { body } = response;
      if (!response.ok || body === null) {
        settle(call, token, { status: response.status, text: await response.text() });
        throw new ApiError('bad_reply');
      }
      const total = Number(response.headers.get('x-total-records') ?? Number.NaN);
      return { total: Number.isSafeInteger(total) ? total : undefined, parts: partsOf(body, failed) };
    },
    async upload(call, input, file, options = {}) {
      const token = tokenFor(call);
      const answer = await sendForm(openRequest(), {
        path: call.path,
        headers: token === undefined ? {} : { [TOKEN_HEADER]: token },
        form: formOf(call, input, file),
        ...options,
      });
      return settle(call, token, answer);
    },
  };
  const { patience = createPatience() } = deps;
  /** Repeats a call with the session that it began with, never with the next one: it may be another user's [AUTH23]. */
  const whenAllowed = <T>(
    { access }: Call,
    options: CallOptions | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> => {
    const token = deps.readToken();
    const isBound = access !== 'public' && options?.leaving === undefined;
    return patience.whenAllowed(async () => {
      if (isBound && deps.readToken() !== token) throw new ApiError('unauthenticated');
      return attempt();
    }, options?.signal);
  };
  return {
    call: (call, input, options) => whenAllowed(call, options, () => once.call(call, input, options)),
    stream: (call, input, options) => whenAllowed(call, options, () => once.stream(call, input, options)),
    upload: (call, input, file, options) => whenAllowed(call, options, () => once.upload(call, input, file, options)),
  };
}

async function* partsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  failed: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  // Not `for await`: Safari's streams can't be iterated.
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw failed(cause);
  } finally {
    // A caller that stops listening ends the connection.
    reader.cancel().catch(() => undefined);
  }
}

function formOf(call: Call, input: unknown, { blob, name }: UploadedFile): FormData {
  const form = new FormData();
  // The fields come first, so that the server knows owner and place before the first byte of the file.
  for (const [field, value] of Object.entries(input ?? {})) {
    if (value !== undefined) form.append(field, String(value));
  }
  form.append(call.file ?? 'file', blob, name);
  return form;
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

/** An upload is given up after this long without progress; while it progresses it may take any time, ms. */
const STALL_MS = 20_000;
/** Time limit for the answer once everything was sent, ms: the server decodes the image. */
const ANSWER_MS = 30_000;

interface Answer {
  status: number;
  text: string;
}

/** The part of XMLHttpRequest that is used here. */
export type UploadRequest = Pick<
  XMLHttpRequest,
  'open' | 'send' | 'abort' | 'setRequestHeader' | 'status' | 'responseText' | 'onload' | 'onerror' | 'onabort'
> & { upload: Pick<XMLHttpRequestUpload, 'onprogress' | 'onload'> };

interface FormUpload {
  path: string;
  headers: Record<string, string>;
  form: FormData;
  signal?: AbortSignal;
  onProgress?: (share: number) => void;
}

/**
 * Sends a form and resolves with whatever was answered. Rejects with ApiError `unreachable` or `timeout`, or with the
 * signal's reason.
 */
function sendForm(request: UploadRequest, upload: FormUpload): Promise<Answer> {
  const { signal, onProgress } = upload;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      settle();
    };
    const wait = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        end(() => reject(new ApiError('timeout')));
        request.abort();
      }, ms);
    };
    const cancel = (): void => {
      end(() => reject(signal?.reason));
      request.abort();
    };
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', cancel);
    request.upload.onprogress = (event) => {
      wait(STALL_MS);
      if (event.lengthComputable && event.total > 0) onProgress?.(event.loaded / event.total);
    };
    request.upload.onload = () => wait(ANSWER_MS);
    request.onload = () => end(() => resolve({ status: request.status, text: request.responseText }));
    // A second settling of the promise, after abort(), has no effect.
    request.onerror = () => end(() => reject(new ApiError('unreachable')));
    request.onabort = () => end(() => reject(new ApiError('unreachable')));
    request.open('POST', upload.path);
    request.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries(upload.headers)) request.setRequestHeader(name, value);
    wait(STALL_MS);
    request.send(upload.form);
  });
}
