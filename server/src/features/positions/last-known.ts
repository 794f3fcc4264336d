import type { UserId } from '@pressel/contract/ids';

/** The time at which somebody's last position was recorded, ms; before everything if there is none. */
export interface Known {
  at: number;
}

/**
 * Remembers when the last position of each user was recorded. Unknown ones are read together, one read after the other: after a
 * restart, hundreds a second are asked for.
 */
export interface LastKnown {
  of(userId: UserId): Promise<Known>;
  /** Another process was told of a position: an older one that comes here now is too late. */
  heard(userId: UserId, at: number): void;
  /** Forgets the last one, because it may be another by now. */
  forget(userId: UserId): void;
}

export function createLastKnown(
  read: (userIds: readonly UserId[]) => Promise<ReadonlyMap<string, { recordedAt: Date }>>,
): LastKnown {
  const known = new Map<UserId, Promise<Known>>();
  let wanted = new Map<UserId, PromiseWithResolvers<Known>>();
  let isReading = false;

  async function readAll(): Promise<void> {
    isReading = true;
    while (wanted.size > 0) {
      const some = wanted;
      wanted = new Map();
      try {
        const found = await read([...some.keys()]);
        for (const [userId, { resolve }] of some) {
          resolve({ at: found.get(userId)?.recordedAt.getTime() ?? Number.NEGATIVE_INFINITY });
        }
      } catch (error) {
        for (const [userId, { reject }] of some) {
          known.delete(userId);
          reject(error);
        }
      }
    }
    isReading = false;
  }

  return {
    of(userId) {
      const there = known.get(userId);
      if (there !== undefined) return there;
      const waiting = Promise.withResolvers<Known>();
      known.set(userId, waiting.promise);
      wanted.set(userId, waiting);
      if (!isReading) void readAll();
      return waiting.promise;
    },
    heard(userId, at) {
      known.get(userId)?.then(
        (one) => {
          one.at = Math.max(one.at, at);
        },
        () => undefined,
      );
    },
    forget: (userId) => void known.delete(userId),
  };
}
