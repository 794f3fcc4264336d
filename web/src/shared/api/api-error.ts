import type { ErrorCode, ErrorParams } from '@pressel/contract/errors';

/** Failures that only this side can know of: no way to the server, no answer in time, an answer we can't read. */
export const CLIENT_ERROR_CODES = ['unreachable', 'timeout', 'bad_reply'] as const;
export type ApiErrorCode = ErrorCode | (typeof CLIENT_ERROR_CODES)[number];

/** Why a call failed: a code for the words, and what fills their gaps. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly params: ErrorParams;

  constructor(code: ApiErrorCode, params: ErrorParams = {}, options?: ErrorOptions) {
    super(code, options);
    this.name = 'ApiError';
    this.code = code;
    this.params = params;
  }
}

/** The code of a failed call; anything else that was thrown is our own fault. */
export const errorCodeOf = (error: unknown): ApiErrorCode => (error instanceof ApiError ? error.code : 'internal');

/** True when the server was not heard, so that nothing is known of what it would have said. */
export const isUnreachable = (error: unknown): boolean => {
  const code = errorCodeOf(error);
  return code === 'unreachable' || code === 'timeout' || code === 'unavailable' || code === 'bad_reply';
};
