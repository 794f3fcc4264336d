import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';

/** A link is in doubt when PostgreSQL has sent nothing for this long, ms. Few statements take so long. */
const DOUBT_MS = 5_000;
/** How long another connection may take to show that PostgreSQL can be reached, ms. */
const PROOF_MS = 5_000;
/** How often links are looked at, as a share of DOUBT_MS. */
const LOOKS = 4;

export interface SilentLinksOptions {
  connection: Readonly<pg.ClientConfig>;
  /** After this long PostgreSQL itself would have ended whatever a request does with a connection, ms. */
  endMs: number;
  /** Shorter times for tests. */
  doubtMs?: number;
  proofMs?: number;
}

interface Link {
  bytesRead: number;
  silentSince: number;
}

/**
 * Ends lent connections whose link is gone without a word: a firewall or a fail-over drops every packet, and TCP tells nobody for a quarter
 * of an hour. Their statements then fail as `unavailable`. A slow statement is silent, too, so a new connection must fail first; or it has
 * lasted longer than PostgreSQL allows, as when the address leads to another server by now.
 * @returns the function that ends the watch
 */
export function endSilentLinks(pool: pg.Pool, options: SilentLinksOptions): () => void {
  const { connection, endMs, doubtMs = DOUBT_MS, proofMs = PROOF_MS } = options;
  const lent = new Map<pg.PoolClient, Link>();
  let isLooking = false;

  const listen = (client: pg.PoolClient): void =>
    void lent.set(client, { bytesRead: bytesReadBy(client), silentSince: performance.now() });
  const silentFor = (ms: number): pg.PoolClient[] => {
    const now = performance.now();
    return [...lent].filter(([, { silentSince }]) => now - silentSince >= ms).map(([client]) => client);
  };
  /** The driver tells their users that the connection was terminated. */
  const cut = (clients: readonly pg.PoolClient[]): void => {
    for (const client of clients) client.connection.stream.destroy();
  };
  /** Notes which links were heard. This process may have stood still, so it first reads what has come meanwhile. */
  const hear = async (): Promise<void> => {
    await nextTurn();
    await nextTurn();
    for (const [client, { bytesRead }] of lent) if (bytesRead !== bytesReadBy(client)) listen(client);
  };
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    await hear();
    cut(silentFor(endMs));
    if (silentFor(doubtMs).length > 0 && !(await reaches(connection, proofMs))) {
      await hear();
      cut(silentFor(doubtMs));
    }
    isLooking = false;
  };

  pool.on('acquire', listen);
  pool.on('release', (_error, client) => void lent.delete(client));
  const timer = setInterval(() => void look(), doubtMs / LOOKS);
  timer.unref();
  return () => clearInterval(timer);
}

const bytesReadBy = (client: pg.PoolClient): number => (client.connection.stream as Socket).bytesRead;

/** Any answer counts, also that PostgreSQL has no connection left. @param maxMs the time for all of it */
async function reaches(connection: Readonly<pg.ClientConfig>, maxMs: number): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: maxMs });
  // The statement's own promise reports it.
  client.on('error', () => undefined);
  const timer = setTimeout(() => client.connection.stream.destroy(), maxMs);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError;
  } finally {
    clearTimeout(timer);
    client.connection.stream.destroy();
  }
}
