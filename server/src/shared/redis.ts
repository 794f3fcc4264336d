import type { FastifyBaseLogger } from 'fastify';

/** A Redis that says nothing for this long counts as away, ms. Commands are sent at least once a second. */
const SILENCE_MS = 5_000;
const PING_MS = 1_000;
/** The longest rest between two attempts to connect, ms. */
const RETRY_MAX_MS = 1_000;
/** How long a start waits for Redis, ms. */
const START_MS = 5_000;

export type RedisClient = Awaited<ReturnType<typeof makeClient>>;

/** The Redis that several processes share. Nothing lasts there: it may be away, and come back empty, at any moment. */
export interface Redis {
  /** Its commands fail at once while Redis is away. */
  readonly client: RedisClient;
  /** All names of this installation begin with it. */
  readonly prefix: string;
  /** Another connection, for commands that block. */
  connect(): Promise<RedisClient>;
  close(): Promise<void>;
}

/** Whoever installs it can mend this by what the message says. */
export class RedisStartError extends Error {}

/**
 * Connects, and keeps connecting when the link is lost.
 * @param installation tells this installation from others that use the same Redis
 * @throws RedisStartError it can't be reached
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
  // The client tries until it is told to stop, and says of each attempt why it failed.
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
  return { client, prefix: `pressel:${installation}:`, connect: async () => (await open()).connect(), close };
}

/** An attempt at several addresses of one name fails without a message. */
const reasonOf = (error: unknown): string => {
  const { message = '', code = 'no answer' } = error as { message?: string; code?: string };
  return message === '' ? code : message;
};

/** Loaded here, so that whoever is alone doesn't wait for it. */
const makeClient = async (url: string) =>
  (await import('@redis/client')).createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    // It would only be about commands that can't be written, and makes a signal and a timer for each. A socket that takes nothing is closed.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries: number) => Math.min(RETRY_MAX_MS, 50 * 2 ** Math.min(retries, 5)),
    },
  });

/** Says once that Redis went away, and once that it is back. An error that nobody hears would end the process. */
function followLink(client: RedisClient, log: FastifyBaseLogger): void {
  let isAway = false;
  client.on('error', (error: unknown) => {
    // Closing it is told as an error, too.
    if (!client.isOpen) return;
    if (!isAway) log.error({ err: error }, 'redis_away');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info('redis_back');
    isAway = false;
  });
}
