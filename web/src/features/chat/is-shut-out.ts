import type { ApiErrorCode } from '#src/shared/api/api-error.ts';

/** Whether a message failed because its channel is closed to the user, who can't see the message there. */
export const isShutOut = (failure: ApiErrorCode | null): boolean =>
  failure === 'not_a_member' || failure === 'not_found';
