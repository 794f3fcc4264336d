import { ApiError } from './api-error.ts';

/** How long the server asked to wait before the call is made again, ms; 0 when it didn't. */
export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.params.retryAfterSeconds ?? 0) * 1_000 : 0;
