import { ERRORS, type ErrorCode, type ErrorParams, type Failure, type Issue } from '@pressel/contract/errors';
import { isStorable } from '@pressel/contract/text';
import type * as z from 'zod';
import { ZodError } from 'zod';
import { type Pause, parseInPieces } from './in-pieces.ts';

/** An error with a code of the contract. Expected outcomes are results, not errors. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  constructor(code: ErrorCode, params: ErrorParams = {}, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
    this.params = params;
  }
}

/** The body of a refused call. */
export const failureBody = (code: ErrorCode, params: ErrorParams = {}): Failure => ({
  success: false,
  result: ERRORS[code].text,
  code,
  params,
});

/** A schema's issues, without the values sent. At most twenty, because a hostile payload may have thousands. */
export const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.slice(0, 20).map((issue) => ({
    path: issue.path.map(String).join('.'),
    code: issue.code === 'custom' ? issue.message : issue.code,
  }));

/** Maximum length of a list, five times the largest in any call: walking millions of entries takes seconds. */
const ENTRIES_MAX = 100_000;

/** Nodes of a payload that are checked without a pause: some tenths of a millisecond. */
const NODES_AT_ONCE = 1_000;

/**
 * Looks for text in a parsed JSON value that PostgreSQL cannot store (NUL, lone surrogates), in steps of NODES_AT_ONCE.
 * Iterative, because a payload may be nested very deeply. Skips binary data: it holds no text, and walking it byte by
 * byte blocks the event loop.
 * @throws AppError malformed when a list in it has more than ENTRIES_MAX entries
 */
function* lookForUnstorableText(value: unknown): Generator<void, boolean> {
  const rest: unknown[] = [value];
  for (let looked = 1; rest.length > 0; looked += 1) {
    if (looked % NODES_AT_ONCE === 0) yield;
    const next = rest.pop();
    if (typeof next === 'string') {
      if (!isStorable(next)) return true;
    } else if (Array.isArray(next)) {
      if (next.length > ENTRIES_MAX) throw new AppError('malformed', { issues: [{ path: '', code: 'too_big' }] });
      for (const entry of next) rest.push(entry);
    } else if (typeof next === 'object' && next !== null && !ArrayBuffer.isView(next)) {
      for (const [key, entry] of Object.entries(next)) rest.push(key, entry);
    }
  }
  return false;
}

/** Parses input of a client. @throws AppError malformed */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const looking = lookForUnstorableText(input);
  let look = looking.next();
  while (look.done !== true) look = looking.next();
  requireStorable(look.value);
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw malformed(parsed.error);
  return parsed.data;
}

/** The same for long input: pauses between its parts. @throws AppError malformed */
export async function parseLongInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
  pause: Pause,
): Promise<z.output<S>> {
  const looking = lookForUnstorableText(input);
  let look = looking.next();
  for (; look.done !== true; look = looking.next()) await pause();
  requireStorable(look.value);
  try {
    return await parseInPieces(schema, input, pause);
  } catch (error) {
    throw error instanceof ZodError ? malformed(error) : error;
  }
}

function requireStorable(holdsUnstorableText: boolean): void {
  if (holdsUnstorableText) throw new AppError('malformed', { issues: [{ path: '', code: 'unstorable' }] });
}

const malformed = (error: z.ZodError) => new AppError('malformed', { issues: issuesOf(error) });
