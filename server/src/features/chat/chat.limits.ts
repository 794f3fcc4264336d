import type { Platform } from '#src/platform/platform.ts';
import type { RateLimit } from '#src/shared/rate-limit.ts';

/** What one user may do, over all of their sessions and sockets. */
export interface ChatLimits {
  messages: RateLimit;
  uploads: RateLimit;
  deletions: RateLimit;
  searches: RateLimit;
  pages: RateLimit;
  marks: RateLimit;
}

/** Twice a second in the long run is more than anybody types; an outbox may send thirty at once. */
export const createChatLimits = (limit: Platform['limit']): ChatLimits => ({
  messages: limit(30, 15),
  uploads: limit(10, 20),
  deletions: limit(60, 30),
  searches: limit(30, 15),
  pages: limit(120, 20),
  marks: limit(100, 20),
});
