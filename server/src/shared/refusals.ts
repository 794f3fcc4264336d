import { createHmac } from 'node:crypto';
import { ERRORS } from '@pressel/contract/errors';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from './app-error.ts';
import { createAllowance } from './rate-limit.ts';

/** Lines at once, and a second in the long run: a flood must not fill the disk. */
const LINES_BURST = 200;
const LINES_PER_SECOND = 10;
const MARK_LENGTH = 12;

/** Attempts that came to nothing, for an operator who asks who is trying what. */
export interface Refusals {
  /**
   * Writes one line: the event, ids, and the address as a mark that tells whether two lines are of the same one,
   * not which one it is. Never a login: people type passwords into that field.
   */
  note(event: string, address: string, fields: Readonly<Record<string, string | boolean | null>>): void;
}

/** `now`: a steady clock, ms. */
export function createRefusals(log: Pick<FastifyBaseLogger, 'warn'>, key: Buffer, now: () => number): Refusals {
  const lines = createAllowance(LINES_BURST, LINES_PER_SECOND, now);
  let unwritten = 0;
  return {
    note(event, address, fields) {
      if (!lines.take()) {
        unwritten += 1;
        return;
      }
      const mark = createHmac('sha256', key).update(address).digest('hex').slice(0, MARK_LENGTH);
      log.warn({ ...fields, address: mark, ...(unwritten > 0 ? { unwritten } : {}) }, event);
      unwritten = 0;
    },
  };
}

/** Whether a refusal is worth a line: what a role or a limit does not allow. The rest is everyday. */
export const isNoted = (error: unknown): error is AppError =>
  error instanceof AppError && (ERRORS[error.code].status === 403 || ERRORS[error.code].status === 429);
