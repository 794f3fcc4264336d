import pino, { type DestinationStream, type Logger } from 'pino';

/**
 * The server's log: JSON lines. Errors are logged by selected fields, because Drizzle puts query parameters (names,
 * logins, hashes) into the message, the stack and a field of its own.
 */
export const createLog = (level: string, destination: DestinationStream): Logger =>
  pino({ level, redact: ['req.headers'], serializers: { err: describeError } }, destination);

/** The log of a process: on its error output, written at once. */
export const createProcessLog = (level: string): Logger => createLog(level, pino.destination({ dest: 2, sync: true }));

interface ErrorLine {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  stack: string;
  cause?: ErrorLine;
}

/** The fields of an error that may be logged, including its causes. */
export function describeError(error: unknown): ErrorLine | string {
  if (!(error instanceof Error)) return typeof error;
  const field = (name: 'code' | 'constraint') => {
    const value = (error as { code?: unknown; constraint?: unknown })[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  const cause = error.cause instanceof Error ? describeError(error.cause) : undefined;
  return {
    type: error.constructor.name,
    message: isQueryError(error) ? `Failed query: ${error.query}` : error.message,
    ...field('code'),
    ...field('constraint'),
    // Only the frames: the first lines repeat the message.
    stack: error.stack?.match(/^\s+at .*$/gmu)?.join('\n') ?? '',
    ...(typeof cause === 'object' ? { cause } : {}),
  };
}

/** The same of an error that ends the process, as text. */
export function errorText(error: unknown): string {
  const lines = (one: ErrorLine): string[] => [
    `${one.type}: ${one.message}`,
    one.stack,
    ...(one.cause === undefined ? [] : [`by ${lines(one.cause).join('\n')}`]),
  ];
  const described = describeError(error);
  return typeof described === 'string' ? described : lines(described).join('\n');
}

/** Drizzle's, told by its fields: its class would have the start of the process wait until Drizzle is loaded. */
const isQueryError = (error: Error): error is Error & { query: string } =>
  'params' in error && 'query' in error && typeof error.query === 'string';
