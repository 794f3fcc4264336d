import { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { unavailable } from './file-store.ts';

/** How long is waited for a store, ms. */
export interface Patience {
  /** For the beginning of an answer, with the upload before it, and for each further part. */
  answerMs: number;
  /** Between two attempts. */
  pauseMs: number;
  /** While the store is away, one request in this time asks whether it is back. All others fail at once. */
  probeMs: number;
}

export const PATIENCE: Patience = { answerMs: 8_000, pauseMs: 250, probeMs: 1_000 };
const ATTEMPTS = 3;
/** What may go well another time: a store that is busy, an upload that was damaged or broke off. */
const PASSING_STATUSES = new Set([408, 409, 425, 429]);
const PASSING_CODES = new Set(['BadDigest', 'IncompleteBody', 'RequestTimeout']);

/** What a store said, or that it said nothing. It goes to the log: it holds neither names nor keys. */
export class S3Fault extends Error {
  /** The code of S3, or the status where there is none; of the network where nothing was answered. */
  readonly code: string;
  readonly mayPass: boolean;
  constructor(status: number | null, code: string) {
    super(status === null ? code : `${status} ${code}`);
    this.code = code;
    this.mayPass = status === null || status >= 500 || PASSING_STATUSES.has(status) || PASSING_CODES.has(code);
  }
}

/**
 * How requests go to a store: again while it may be away, each with a time limit. `send` answers with what the store did, or with 404
 * for an object that is not there. @throws AppError unavailable, because of an S3Fault
 */
export function createRequests(log: Pick<FastifyBaseLogger, 'error' | 'info'>, patience: Patience) {
  const closing = new AbortController();
  let trouble: S3Fault | null = null;
  let nextProbeAt = 0;

  /** Says once that nothing can be had of the store, and once that it can again. */
  const note = (fault: S3Fault | null): void => {
    if (closing.signal.aborted) return;
    if (fault !== null && trouble === null) log.error({ reason: fault.message }, 'files_unavailable');
    if (fault === null && trouble !== null) log.info('files_back');
    trouble = fault;
  };

  const attempt = async (...[input, init]: Parameters<typeof fetch>): Promise<Response | S3Fault> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), patience.answerMs);
    try {
      const response = await fetch(input, {
        ...init,
        // What is stored is to come as it is.
        headers: { ...(init?.headers as Record<string, string>), 'accept-encoding': 'identity' },
        redirect: 'manual',
        signal: AbortSignal.any([late.signal, closing.signal]),
      });
      const isObject = init?.method === 'GET' && new URL(String(input)).search === '';
      if (!isObject || !response.ok)
        return answered(response.status, await response.text(), { isObject, method: init?.method });
      if (response.body === null) return response;
      const { status, headers } = response;
      const parts = ReadableStream.from(inTime(response.body, patience.answerMs, late));
      return new Response(parts as unknown as NonNullable<Response['body']>, { status, headers });
    } catch (error) {
      return new S3Fault(null, late.signal.aborted ? 'NoAnswerInTime' : networkCode(error));
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async send(...request: Parameters<typeof fetch>): Promise<Response> {
      let left = ATTEMPTS;
      if (trouble?.mayPass === true) {
        if (performance.now() < nextProbeAt) throw unavailable(new S3Fault(null, 'Away'));
        nextProbeAt = performance.now() + patience.probeMs;
        left = 1;
      }
      for (;;) {
        const answer = await attempt(...request);
        left -= 1;
        if (!(answer instanceof S3Fault)) {
          note(null);
          return answer;
        }
        if (!answer.mayPass || left === 0 || closing.signal.aborted) {
          note(answer);
          throw unavailable(answer);
        }
        await sleep(patience.pauseMs);
      }
    },

    close: () => closing.abort(),
  };
}

/** What an answer means that is no content of an object. That one is not there is an answer, too. */
function answered(
  status: number,
  text: string,
  { isObject, method }: { isObject: boolean; method: string | undefined },
): Response | S3Fault {
  const code = /<Code>(\w{1,60})<\/Code>/u.exec(text)?.[1] ?? String(status);
  if (status === 404 && isObject && code !== 'NoSuchBucket') return new Response(text, { status });
  if (status < 200 || status > 299) return new S3Fault(status, code);
  // Whatever else listens there may answer with a page.
  if (method === 'GET' && !text.includes('<ListBucketResult')) return new S3Fault(status, 'NotS3');
  return new Response(status === 204 ? null : text, { status });
}

/** The parts of an answer, as long as each comes in time. Time that its reader takes doesn't count. */
async function* inTime(
  body: NonNullable<Response['body']>,
  partMs: number,
  late: AbortController,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const timer = setTimeout(() => late.abort(), partMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever reads no further must not leave the connection waiting.
    await reader.cancel().catch(() => undefined);
  }
}

/** Without the message, which may hold an address. */
function networkCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  for (const one of [cause?.code, code]) if (typeof one === 'string') return one;
  return 'NoAnswer';
}
