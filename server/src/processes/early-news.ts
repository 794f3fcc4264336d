import type { Redis, RedisClient } from './redis.ts';

/** Pause after a refusal to publish, ms. */
const PAUSE_MS = 5_000;

/**
 * The news of each process on a channel of its own in Redis. They arrive without being asked for, and may be lost. So they only come earlier
 * than those of the stream, which are the same (PROC116).
 */
export interface EarlyNews {
  /** Tells those who follow this process. */
  tell(entry: string): void;
  /** Whether that works, as far as known. */
  isTelling(): boolean;
  /** Connects once more: if Redis allows no channels, only that connection fails. */
  open(): Promise<void>;
  /** From now on hears another process, if Redis allows it. Call again from time to time: it does nothing if it works already. */
  follow(from: string): void;
  /** Whether the news of that process come here. */
  follows(from: string): boolean;
  /** Another process is gone. */
  forget(from: string): void;
  close(): void;
}

/** @param own the name of this process */
export function createEarlyNews(
  { client, prefix, connect }: Redis,
  own: string,
  heard: (entry: string) => void,
): EarlyNews {
  const channelOf = (from: string) => `${prefix}news:${from}`;
  /** Each other process, and whether Redis has answered that it is followed. */
  const followed = new Map<string, boolean>();
  let listener: RedisClient | null = null;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let isTelling = true;
  return {
    tell(entry) {
      if (!isTelling && performance.now() - refusedAt < PAUSE_MS) return;
      client.publish(channelOf(own), entry).then(
        () => {
          isTelling = true;
        },
        () => {
          isTelling = false;
          refusedAt = performance.now();
        },
      );
    },
    isTelling: () => isTelling,
    async open() {
      listener = await connect();
    },
    follow(from) {
      if (listener === null || followed.has(from)) return;
      followed.set(from, false);
      listener.subscribe(channelOf(from), heard).then(
        () => {
          if (followed.has(from)) followed.set(from, true);
        },
        () => followed.delete(from),
      );
    },
    // After a loss of its connection, it follows them again before it is ready.
    follows: (from) => listener?.isReady === true && followed.get(from) === true,
    forget(from) {
      if (!followed.delete(from)) return;
      listener?.unsubscribe(channelOf(from), heard).catch(() => undefined);
    },
    close() {
      listener?.destroy();
    },
  };
}
