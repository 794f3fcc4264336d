import { DrizzleQueryError } from 'drizzle-orm';
import pino, { type DestinationStream, type Logger } from 'pino';

/**
 * The server's log: JSON lines. Errors are written field by field, so that what a query carried (names, logins,
 * hashes: Drizzle puts its parameters in the message, the stack and a field of their own) stays out of it.
 */
export const createLog = (level: string, destination: DestinationStream): Logger =>
  pino({ level, redact: ['req.headers'], serializers: { err: describeError } }, destination);

interface ErrorLine {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  stack: string;
  cause?: ErrorLine;
}

/** What the log may hold of an error, its causes included. */
export function describeError(error: unknown): ErrorLine | string {
  if (!(error instanceof Error)) return typeof error;
  const field = (name: 'code' | 'constraint') => {
    const value = (error as { code?: unknown; constraint?: unknown })[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  const cause = error.cause instanceof Error ? describeError(error.cause) : undefined;
  return {
    type: error.constructor.name,
    message: error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message,
    ...field('code'),
    ...field('constraint'),
    // The frames alone: the head repeats the message.
    stack: error.stack?.match(/^\s+at .*$/gmu)?.join('\n') ?? '',
    ...(typeof cause === 'object' ? { cause } : {}),
  };
}
