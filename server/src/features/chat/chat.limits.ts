import { LIMITS } from '#src/limits/limits.ts';
import { createHastyLimit, type HastyLimit, type RateLimit } from '#src/limits/rate-limit.ts';
import type { Platform } from '#src/platform/platform.ts';

/** Limits of one user, over all of their sessions and sockets. */
export interface ChatLimits {
  messages: HastyLimit;
  uploads: RateLimit;
  deletions: RateLimit;
  searches: RateLimit;
  pages: RateLimit;
  marks: RateLimit;
}

export const createChatLimits = (limit: Platform['limit']): ChatLimits => ({
  messages: createHastyLimit(limit('chat.messages'), LIMITS['chat.messages']),
  uploads: limit('chat.uploads'),
  deletions: limit('chat.deletions'),
  searches: limit('chat.searches'),
  pages: limit('chat.pages'),
  marks: limit('chat.marks'),
});
