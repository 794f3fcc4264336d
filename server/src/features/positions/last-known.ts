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
  /**
   * Reads it within a second, together with those of others who came meanwhile. So the first position of somebody who has just connected
   * is told at once.
   */
  soon(userId: UserId): void;
  /** Another process was told of a position: an older one that comes here now is too late. */
  heard(userId: UserId, at: number): void;
  /** Forgets the last one, because it may be another by now. */
  forget(userId: UserId): void;
  close(): void;
}

/** How long those who came are gathered, ms. */
const GATHER_MS = 1_000;

export function createLastKnown(
  read: (userIds: readonly UserId[]) => Promise<ReadonlyMap<string, { recordedAt: Date }>>,
): LastKnown {
  const known = new Map<UserId, Promise<Known>>();
  let wanted = new Map<UserId, PromiseWithResolvers<Known>>();
  let isReading = false;
  const came = new Set<UserId>();
  let timer: NodeJS.Timeout | undefined;

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

  function want(userId: UserId): Promise<Known> {
    const there = known.get(userId);
    if (there !== undefined) return there;
    const waiting = Promise.withResolvers<Known>();
    known.set(userId, waiting.promise);
    wanted.set(userId, waiting);
    return waiting.promise;
  }
  const readWanted = (): void => {
    if (!isReading && wanted.size > 0) void readAll();
  };

  return {
    of(userId) {
      const wished = want(userId);
      readWanted();
      return wished;
    },
    soon(userId) {
      if (known.has(userId)) return;
      came.add(userId);
      timer ??= setTimeout(() => {
        timer = undefined;
        // If it can't be read now, the first position waits for it.
        for (const one of came) want(one).catch(() => undefined);
        came.clear();
        readWanted();
      }, GATHER_MS);
    },
    heard(userId, at) {
      known.get(userId)?.then(
        (one) => {
          one.at = Math.max(one.at, at);
        },
        () => undefined,
      );
    },
    forget(userId) {
      came.delete(userId);
      known.delete(userId);
    },
    close: () => clearTimeout(timer),
  };
}
