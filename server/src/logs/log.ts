import { AsyncLocalStorage } from 'node:async_hooks';
import pino, { type DestinationStream, type Logger } from 'pino';
import * as z from 'zod';
import { uuidV7 } from '#src/shared/ids.ts';

/** The id that a proxy or a client may give its request. It is written into logs, so it is short and has no special characters. */
export const requestId = z.string().regex(/^[\w-]{8,64}$/u);

/** The request that the current work belongs to. One store serves the whole process, so that all log lines can name it. */
const requests = new AsyncLocalStorage<string>();

/** The id of a request: the one that came with it, if it is well-formed, else a new one. */
export const requestIdFrom = (given: unknown): string => requestId.safeParse(given).data ?? uuidV7();

export const currentRequest = (): string | undefined => requests.getStore();

/** Runs work, and everything that follows from it, for a request of any process; undefined: for none. */
export const forRequest = <T>(id: string | undefined, work: () => T): T =>
  id === undefined ? requests.exit(work) : requests.run(id, work);

/**
 * The server's log: JSON lines. Errors are logged by selected fields, because Drizzle puts query parameters (names,
 * logins, hashes) into the message, the stack and a field of its own.
 */
export const createLog = (level: string, destination: DestinationStream): Logger =>
  pino({ level, redact: ['req.headers'], serializers: { err: describeError }, mixin: nameRequest }, destination);

/** Adds the request's id to each line that is written for a request [PROC86]. */
function nameRequest(_fields: object, _level: number, logger: Logger): object {
  const id = currentRequest();
  return id === undefined || 'requestId' in logger.bindings() ? {} : { requestId: id };
}

/** The log of a process: it goes to the error output and is written at once. */
export const createProcessLog = (level: string): Logger => createLog(level, pino.destination({ dest: 2, sync: true }));

interface ErrorLine {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  stack: string;
  cause?: ErrorLine;
  /** The errors of an AggregateError. */
  errors?: ErrorLine[];
}

/** Maximum of nested causes, and of an AggregateError's errors. */
const NESTED_MAX = 5;

/** The fields of an error that may be logged, including its causes. */
export function describeError(error: unknown): ErrorLine | string {
  return error instanceof Error ? lineOf(error, NESTED_MAX) : typeof error;
}

function lineOf(error: Error, depth: number): ErrorLine {
  const field = (name: 'code' | 'constraint') => {
    const value = (error as { code?: unknown; constraint?: unknown })[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  const within = (nested: unknown): ErrorLine[] =>
    nested instanceof Error && depth > 0 ? [lineOf(nested, depth - 1)] : [];
  const [cause] = within(error.cause);
  const errors = error instanceof AggregateError ? error.errors.slice(0, NESTED_MAX).flatMap(within) : [];
  return {
    type: error.constructor.name,
    message: messageOf(error),
    ...field('code'),
    ...field('constraint'),
    // Only the frames: the first lines repeat the message.
    stack: error.stack?.match(/^\s+at .*$/gmu)?.join('\n') ?? '',
    ...(cause === undefined ? {} : { cause }),
    ...(errors.length === 0 ? {} : { errors }),
  };
}

/** Matches the first quotation in a message, in the languages that PostgreSQL speaks. */
const QUOTATION = /[:"'«»„“”‚‘’「].*$/su;

/** The message of an error, without the values that some kinds of errors quote. */
function messageOf(error: Error): string {
  if (isQueryError(error)) return `Failed query: ${error.query}`;
  // PostgreSQL's data exceptions (class 22) and JSON.parse quote what they could not read.
  const isOfData = 'code' in error && typeof error.code === 'string' && /^22\w{3}$/u.test(error.code);
  return isOfData || error instanceof SyntaxError ? error.message.replace(QUOTATION, '…') : error.message;
}

/** The same as text, for an error that ends the process. */
export function errorText(error: unknown): string {
  const lines = (one: ErrorLine): string[] => [
    `${one.type}: ${one.message}`,
    one.stack,
    ...[one.cause ?? [], one.errors ?? []].flat().map((nested) => `by ${lines(nested).join('\n')}`),
  ];
  const described = describeError(error);
  return typeof described === 'string' ? described : lines(described).join('\n');
}

/** Recognises Drizzle's errors by their fields: using its class would delay the start until Drizzle is loaded. */
const isQueryError = (error: Error): error is Error & { query: string } =>
  'params' in error && 'query' in error && typeof error.query === 'string';
