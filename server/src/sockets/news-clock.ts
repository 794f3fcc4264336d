import type { UserId } from '@pressel/contract/ids';

/**
 * The time since the last news of lists. A client that read a list within that time missed nothing and needn't read it again.
 * Several processes share this time.
 */
export interface NewsClock {
  /** News went out. `about`: a user, if the news was only about that user's presence; they hear of it again on connecting. */
  noteNews(about: UserId | null): void;
  /** Ms since the last news, apart from news about this user's own presence. */
  quietMs(userId: UserId): number;
}

/**
 * @param steadyNow a monotonic clock, ms
 * @param hearsAll whether news of all processes reaches this one
 */
export function createNewsClock(steadyNow: () => number, hearsAll: () => boolean = () => true): NewsClock {
  // The start counts as news: earlier news is unknown here.
  let last: { at: number; about: UserId | null } = { at: steadyNow(), about: null };
  /** The last news about somebody else than `last`. */
  let before = last;
  return {
    noteNews(about) {
      if (about === null || about !== last.about) before = last;
      last = { at: steadyNow(), about };
    },
    quietMs: (userId) =>
      hearsAll() ? Math.max(0, Math.floor(steadyNow() - (last.about === userId ? before : last).at)) : 0,
  };
}
