import type { FastifyBaseLogger } from 'fastify';

/** A Redis that is silent for this long counts as away, ms. Commands are sent at least once a second. */
const SILENCE_MS = 5_000;
const PING_MS = 1_000;
/** The longest pause between two attempts to connect, ms. */
const RETRY_MAX_MS = 1_000;
/**
 * Connections are given up again after this pause, ms, and then after pauses twice as long each. The address may be right all the while: a
 * Redis refuses writes for as long as its replica is away.
 */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;
/** How long a start waits for Redis, ms. */
const START_MS = 5_000;

export type RedisClient = Awaited<ReturnType<typeof makeClient>>;

/** The Redis that several processes share. Nothing lasts there: it may be away, and come back empty, at any moment. */
export interface Redis {
  /** Its commands fail at once while Redis is away. */
  readonly client: RedisClient;
  /** Prefix of all names of this installation. */
  readonly prefix: string;
  /** Opens another connection, for commands that block. */
  connect(): Promise<RedisClient>;
  /**
   * Call with the error of a write. If this Redis is a replica by now, or has lost its replicas, another one may answer at its address: all
   * connections are ended, and made again.
   */
  writeFailed(error: unknown): void;
  /** Call after a write that worked. */
  wrote(): void;
  close(): Promise<void>;
}

/** Refusals of a Redis that is no primary any more, or that nobody follows. */
const REFUSALS_OF_WRITES = /^(READONLY|NOREPLICAS) /u;

/** A fault that the operator can mend; the message says how. */
export class RedisStartError extends Error {}

/**
 * Connects, and reconnects when the link is lost.
 * @param installation distinguishes this installation from others that use the same Redis
 * @throws RedisStartError when Redis can't be reached
 */
export async function openRedis(
  url: string,
  installation: string,
  log: FastifyBaseLogger,
  startMs = START_MS,
): Promise<Redis> {
  const links = new Map<RedisClient, Link>();
  const open = async () => {
    const client = await makeClient(url);
    links.set(client, followLink(client, log));
    return client;
  };
  const close = async () => {
    for (const client of links.keys()) client.destroy();
  };
  const client = await open();
  // The client retries until it is stopped, and reports why each attempt failed.
  let fault: unknown = null;
  const noteFault = (error: unknown): void => {
    fault = error;
  };
  client.on('error', noteFault);
  const timer = setTimeout(close, startMs);
  try {
    await client.connect();
  } catch (error) {
    await close();
    throw new RedisStartError(
      `The Redis of REDIS_URL can't be reached: ${reasonOf(fault ?? error)}. Start it, or correct REDIS_URL.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
    client.off('error', noteFault);
  }
  let refusal: string | undefined;
  let givenUpAt = Number.NEGATIVE_INFINITY;
  let pauseMs = PAUSE_MS;
  return {
    ...{ client, prefix: `pressel:${installation}:`, connect: async () => (await open()).connect(), close },
    writeFailed(error) {
      const refused = error instanceof Error ? REFUSALS_OF_WRITES.exec(error.message)?.[1] : undefined;
      if (refused === undefined) return;
      if (refused !== refusal) pauseMs = PAUSE_MS;
      refusal = refused;
      if (performance.now() - givenUpAt < pauseMs) return;
      givenUpAt = performance.now();
      pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS);
      for (const [client, link] of links) if (client.isReady) link.giveUp();
    },
    wrote() {
      refusal = undefined;
    },
  };
}

/** An attempt at several addresses of one name fails without a message. */
const reasonOf = (error: unknown): string => {
  const { message = '', code = 'no answer' } = error as { message?: string; code?: string };
  return message === '' ? code : message;
};

/** Imports the client only when it is needed, so that a single process doesn't wait for it. */
const makeClient = async (url: string) =>
  (await import('@redis/client')).createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    // The timeout only covers commands that can't be written, and costs a timer for each. `socketTimeout` ends a stuck socket.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries: number) => Math.min(RETRY_MAX_MS, 50 * 2 ** Math.min(retries, 5)),
    },
  });

interface Link {
  /** Ends the connection. The client makes another one. */
  giveUp(): void;
}

/** Logs once that Redis went away, and once that it is back. An unhandled error would end the process. */
function followLink(client: RedisClient, log: FastifyBaseLogger): Link {
  let isAway = false;
  let isGivenUp = false;
  client.on('error', (error: unknown) => {
    // Closing the client emits an error, too.
    if (!client.isOpen) return;
    if (isGivenUp) {
      // This is the end that was asked for, and that of commands under way. A later error tells that nobody answers there.
      setImmediate(() => {
        isGivenUp = false;
      });
      return;
    }
    if (!isAway) log.error({ err: error }, 'redis_away');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info('redis_back');
    [isAway, isGivenUp] = [false, false];
  });
  return {
    giveUp() {
      isGivenUp = true;
      // Redis ends the connection.
      client.sendCommand(['QUIT']).catch(() => undefined);
    },
  };
}
