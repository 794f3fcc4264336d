import type { UserId } from '@pressel/contract/ids';

/**
 * How long no news of lists was sent: whoever read a list within that time missed none of it, and needs not read it again.
 * With several processes, this is theirs together.
 */
export interface Quiet {
  /** News went out. `about`: of nothing but this user's presence, of which the user hears again on connecting. */
  told(about: UserId | null): void;
  /** Ms since the last news of anything but this user's own presence. */
  quietMs(userId: UserId): number;
}

/**
 * @param steadyNow a monotonic clock, ms
 * @param hearsAll whether the news of all processes come here
 */
export function createQuiet(steadyNow: () => number, hearsAll: () => boolean = () => true): Quiet {
  // The start counts as news: what came before it is not known here.
  let last: { at: number; about: UserId | null } = { at: steadyNow(), about: null };
  /** The last one that was about somebody else than `last` is. */
  let before = last;
  return {
    told(about) {
      if (about === null || about !== last.about) before = last;
      last = { at: steadyNow(), about };
    },
    quietMs: (userId) =>
      hearsAll() ? Math.max(0, Math.floor(steadyNow() - (last.about === userId ? before : last).at)) : 0,
  };
}
