import type { ErrorCode, ErrorParams } from '@pressel/contract/errors';

/** Failures detected by the client: server unreachable, no answer in time, invalid reply. */
export const CLIENT_ERROR_CODES = ['unreachable', 'timeout', 'bad_reply'] as const;
export type ApiErrorCode = ErrorCode | (typeof CLIENT_ERROR_CODES)[number];

/** Why a call failed: a code, which selects the text shown, and its parameters. */
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

/** The code of a failed call; `internal` for any other exception. */
export const errorCodeOf = (error: unknown): ApiErrorCode => (error instanceof ApiError ? error.code : 'internal');

/** True when no valid answer of the server was received, so that the outcome of the call is unknown. */
export const isUnreachable = (error: unknown): boolean => {
  const code = errorCodeOf(error);
  return code === 'unreachable' || code === 'timeout' || code === 'unavailable' || code === 'bad_reply';
};
