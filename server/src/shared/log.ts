import pino, { type DestinationStream, type Logger } from 'pino';
import { currentRequest } from './request-id.ts';

/**
 * The server's log: JSON lines. Errors are logged by selected fields, because Drizzle puts query parameters (names,
 * logins, hashes) into the message, the stack and a field of its own.
 */
export const createLog = (level: string, destination: DestinationStream): Logger =>
  pino({ level, redact: ['req.headers'], serializers: { err: describeError }, mixin: nameRequest }, destination);

/** Every line that is written for a request says for which one [PROC86]. */
function nameRequest(_fields: object, _level: number, logger: Logger): object {
  const id = currentRequest();
  return id === undefined || 'requestId' in logger.bindings() ? {} : { requestId: id };
}

/** The log of a process: on its error output, written at once. */
export const createProcessLog = (level: string): Logger => createLog(level, pino.destination({ dest: 2, sync: true }));

interface ErrorLine {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  stack: string;
  cause?: ErrorLine;
  /** Those that an AggregateError holds. */
  errors?: ErrorLine[];
}

/** Causes that are followed, and errors of an AggregateError that are named. */
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

/** Where a message begins to quote, in the languages that PostgreSQL speaks. */
const QUOTATION = /[:"'«»„“”‚‘’「].*$/su;

/** The message of an error, without the values that some kinds of errors quote. */
function messageOf(error: Error): string {
  if (isQueryError(error)) return `Failed query: ${error.query}`;
  // PostgreSQL's data exceptions (class 22) and JSON.parse quote what they could not read.
  const isOfData = 'code' in error && typeof error.code === 'string' && /^22\w{3}$/u.test(error.code);
  return isOfData || error instanceof SyntaxError ? error.message.replace(QUOTATION, '…') : error.message;
}

/** The same of an error that ends the process, as text. */
export function errorText(error: unknown): string {
  const lines = (one: ErrorLine): string[] => [
    `${one.type}: ${one.message}`,
    one.stack,
    ...[one.cause ?? [], one.errors ?? []].flat().map((nested) => `by ${lines(nested).join('\n')}`),
  ];
  const described = describeError(error);
  return typeof described === 'string' ? described : lines(described).join('\n');
}

/** Drizzle's, told by its fields: its class would have the start of the process wait until Drizzle is loaded. */
const isQueryError = (error: Error): error is Error & { query: string } =>
  'params' in error && 'query' in error && typeof error.query === 'string';
