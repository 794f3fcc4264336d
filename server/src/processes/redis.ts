import type { FastifyBaseLogger } from 'fastify';

/** A Redis that is silent for this long counts as away, ms. Commands are sent at least once a second. */
const SILENCE_MS = 5_000;
const PING_MS = 1_000;
/** The longest pause between two attempts to connect, ms. */
const RETRY_MAX_MS = 1_000;
/** Connections are given up at most this often, ms. */
const GIVE_UP_EVERY_MS = 1_000;
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
  const clients: RedisClient[] = [];
  const open = async () => {
    const client = await makeClient(url);
    clients.push(client);
    followLink(client, log);
    return client;
  };
  const close = async () => {
    for (const client of clients) client.destroy();
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
  let givenUpAt = Number.NEGATIVE_INFINITY;
  return {
    ...{ client, prefix: `pressel:${installation}:`, connect: async () => (await open()).connect(), close },
    writeFailed(error) {
      if (!(error instanceof Error) || !REFUSALS_OF_WRITES.test(error.message)) return;
      if (performance.now() - givenUpAt < GIVE_UP_EVERY_MS) return;
      givenUpAt = performance.now();
      // Redis ends the connection, and the client connects again.
      for (const one of clients) if (one.isReady) one.sendCommand(['QUIT']).catch(() => undefined);
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

/** Logs once that Redis went away, and once that it is back. An unhandled error would end the process. */
function followLink(client: RedisClient, log: FastifyBaseLogger): void {
  let isAway = false;
  client.on('error', (error: unknown) => {
    // Closing the client emits an error, too.
    if (!client.isOpen) return;
    if (!isAway) log.error({ err: error }, 'redis_away');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info('redis_back');
    isAway = false;
  });
}
