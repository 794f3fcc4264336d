import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { provideDataFolder, readPassword, SUPERUSER } from './data-folder.ts';
import { chooseIdentity, type Identity } from './identity.ts';
import { endLeftover } from './postmaster.ts';
import { runServer, type ServerLog, type ServerRun } from './server-run.ts';
import { DatabaseStartError } from './start-error.ts';

const PORT = 5432;
/** The longest path of a Unix socket, without its final zero byte (unix(7); BSD has four bytes less). */
const SOCKET_PATH_MAX = process.platform === 'linux' ? 107 : 103;

/** Where a server listens. */
interface ListenAddress {
  host: string;
  port: number;
  settings: Record<string, string>;
  close(): Promise<void>;
}

/**
 * A Unix socket in the data folder, which nobody else may enter. Where its path is too long, it goes into a temporary folder
 * of its own. On Windows this is a free loopback port.
 */
async function chooseListenAddress(folder: string, identity: Identity): Promise<ListenAddress> {
  if (process.platform === 'win32') {
    const port = await freePort();
    const settings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' };
    return { host: '127.0.0.1', port, settings, close: async () => undefined };
  }
  const atSocket = (host: string, close: () => Promise<void>): ListenAddress => ({
    host,
    port: PORT,
    settings: {
      listen_addresses: '',
      port: String(PORT),
      unix_socket_directories: `"${host.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
    },
    close,
  });
  const fits = (parent: string) => Buffer.byteLength(join(parent, `.s.PGSQL.${PORT}`)) <= SOCKET_PATH_MAX;
  if (fits(folder)) return atSocket(folder, async () => undefined);
  const name = 'pressel-';
  const parent = fits(join(tmpdir(), `${name}xxxxxx`)) ? tmpdir() : '/tmp';
  const temporary = await mkdtemp(join(parent, name));
  await identity.own(temporary);
  return atSocket(temporary, () => rm(temporary, { recursive: true, force: true }));
}

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

/** Where and how to connect. */
export type Connection = Pick<ClientConfig, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'>;

export interface ClusterOptions {
  /** A folder that holds `initdb` and `postgres`. */
  programs: string;
  /** The data folder, made if missing. The folder above it must exist and be ours alone (`lockDataDir`). */
  folder: string;
  /** Settings of PostgreSQL that replace or complete ours. */
  settings?: Readonly<Record<string, string>>;
  /** False is quicker, but a power cut may damage the data. For tests. */
  isDurable?: boolean;
  log: ServerLog;
  /** Called once when the server has ended against our will and can't be started again. */
  onLost?: (error: unknown) => void;
  /** Cancels the start. */
  signal?: AbortSignal;
}

/** A PostgreSQL that runs for us. */
export interface Cluster {
  readonly connection: Connection;
  /** The server process's number; it changes with a restart. */
  readonly pid: number;
  /** Ends connections and the server after everything is written. Idempotent. */
  stop(): Promise<void>;
}

/** A server that dies once is started again. If it dies this often within the window, we can't mend the cause. */
const RESTARTS_MAX = 3;
const RESTART_WINDOW_MS = 60_000;
const RESTART_PAUSE_MS = 250;

/**
 * Starts PostgreSQL for this process alone and keeps it running. It listens on a Unix socket in a folder that only this
 * user may enter; on Windows on a loopback port, with a random password. It ends with this process, however that ends.
 * @throws DatabaseStartError
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { programs, folder, log, isDurable = true, signal } = options;
  const identity = await chooseIdentity(programs, folder);
  await provideDataFolder({ programs, folder, identity, isDurable, signal });
  await endLeftover(folder);
  const listenAddress = await chooseListenAddress(folder, identity);
  const settings = { ...listenAddress.settings, ...(isDurable ? {} : { fsync: 'off' }), ...options.settings };
  let isStopping = false;
  const deaths: number[] = [];

  const launch = async (): Promise<ServerRun> => {
    const run = runServer({ programs, folder, settings, identity, log, signal });
    await run.ready;
    return run;
  };
  let reviving = Promise.resolve();
  const keepRunning = (run: ServerRun): void => {
    reviving = run.ended.then(revive).catch((error: unknown) => {
      if (!isStopping) options.onLost?.(error);
    });
  };
  const revive = async (): Promise<void> => {
    if (isStopping) return;
    const now = Date.now();
    deaths.push(now);
    log.error({ deaths: deaths.length }, 'database_died');
    if (deaths.filter((time) => now - time < RESTART_WINDOW_MS).length > RESTARTS_MAX) {
      throw new DatabaseStartError('PostgreSQL ended again and again.');
    }
    await delay(RESTART_PAUSE_MS);
    await endLeftover(folder);
    if (isStopping) return;
    server = await launch();
    log.warn({}, 'database_restarted');
    keepRunning(server);
  };

  let server: ServerRun;
  try {
    server = await launch();
  } catch (error) {
    await listenAddress.close();
    throw error;
  }
  keepRunning(server);
  return {
    connection: {
      host: listenAddress.host,
      port: listenAddress.port,
      user: SUPERUSER,
      database: 'postgres',
      ssl: false,
      ...(process.platform === 'win32' ? { password: await readPassword(folder) } : {}),
    },
    get pid() {
      return server.pid;
    },
    async stop() {
      isStopping = true;
      await server.stop();
      // The server may have died just before, and a restart may be under way.
      await reviving;
      await server.stop();
      await listenAddress.close();
    },
  };
}
