import type { StatusNews } from '@pressel/contract/presence';

/**
 * The time of a reading, as the database's snapshots tell it: the first transaction that had not begun to end by then, and how
 * many earlier ones were still running. A later reading saw all that an earlier one saw.
 */
export type ReadAt = readonly [next: number, running: number];

const isOlder = ([next, running]: ReadAt, [otherNext, otherRunning]: ReadAt): boolean =>
  next < otherNext || (next === otherNext && running > otherRunning);

/** News of another process come at most this much later, ms: it drops what it could not say for 5 s. */
export const LATE_MS = 30_000;

/**
 * Leaves out what was read before something of the same was told. Processes read the table, and tell what they read, each at
 * its own time: the first to read may be the last to be heard [PROC65].
 * @param now a monotonic clock, ms
 * @returns what is left of news; null: nothing
 */
export function createNewestNews(now: () => number): (readAt: ReadAt, news: StatusNews) => StatusNews | null {
  const told = new Map<string, { readAt: ReadAt; at: number }>();
  let sweptAt = now();

  const sweep = (time: number): void => {
    if (time - sweptAt < LATE_MS) return;
    sweptAt = time;
    for (const [of, { at }] of told) if (time - at > LATE_MS) told.delete(of);
  };

  return (readAt, { channelId, users, rooms, connected }) => {
    const at = now();
    sweep(at);
    const isNews = (of: string): boolean => {
      const key = `${channelId} ${of}`;
      const known = told.get(key);
      if (known !== undefined && isOlder(readAt, known.readAt)) return false;
      told.set(key, { readAt, at });
      return true;
    };
    const left = {
      users: users.filter(({ userId }) => isNews(`user ${userId}`)),
      rooms: rooms.filter((room) => isNews(`room ${room.channelId}`)),
      ...(connected !== undefined && isNews('connected') && { connected }),
    };
    const isNothing = left.users.length + left.rooms.length === 0 && left.connected === undefined;
    return isNothing ? null : { channelId, ...left };
  };
}
