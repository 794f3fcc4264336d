import { createHmac } from 'node:crypto';
import { ERRORS } from '@pressel/contract/errors';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '#src/shared/app-error.ts';
import { createAllowance } from './rate-limit.ts';

/** Limit of log lines, burst and per second, so that a flood doesn't fill the disk. */
const LINES_BURST = 200;
const LINES_PER_SECOND = 10;
const MARK_LENGTH = 12;

/** Logs refused attempts, so that operators can recognise attacks. */
export interface Refusals {
  /**
   * Writes one line: the event, ids, and a keyed hash of the address, which shows equal addresses without revealing them.
   * Never pass a login: people type passwords into that field.
   */
  note(event: string, address: string, fields: Readonly<Record<string, string | boolean | null>>): void;
}

/** `now`: a monotonic clock, ms. */
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

/** Whether a refusal is logged: only those by role or rate limit, because others are normal operation. */
export const isNoted = (error: unknown): error is AppError =>
  error instanceof AppError && (ERRORS[error.code].status === 403 || ERRORS[error.code].status === 429);
