import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import pino, { type Logger } from 'pino';
import { type Config, ConfigError, readConfig } from './config.ts';
import { DataInUseError } from './db/data-lock.ts';
import { DatabaseStartError } from './db/embedded/start-error.ts';
import { startDatabase } from './db/start-database.ts';
import { createLog } from './shared/log.ts';
import { chooseSetupCode, firstAccountHint } from './shared/setup-code.ts';

/** After this the process ends whatever is still open: the promise is under 5 s. */
const SHUTDOWN_LIMIT_MS = 4_500;
/** How often to look whether npm, which does not pass on SIGTERM, is still there. */
const PARENT_CHECK_MS = 500;

/** What is open, in the order in which it was opened. */
type Closers = (() => Promise<unknown>)[];

function run(): void {
  roomForHashing();
  const config = readConfig();
  const log = createLog(config.logLevel, pino.destination({ dest: 2, sync: true }));
  const ending = new AbortController();
  const closers: Closers = [];
  let isStopping = false;
  let hasStarted = false;

  /** In order: what was opened last is closed first. */
  const end = async (exitCode: number): Promise<void> => {
    setTimeout(() => {
      log.error('stopped_by_force');
      process.exit(1);
    }, SHUTDOWN_LIMIT_MS).unref();
    ending.abort();
    await starting;
    for (const close of closers.reverse()) await close();
    if (hasStarted) log.info('stopped');
    process.exit(exitCode);
  };
  const stop = (reason: string, exitCode = 0): void => {
    if (isStopping) return;
    isStopping = true;
    if (hasStarted) log.info({ reason }, 'stopping');
    end(exitCode).catch((error: unknown) => {
      log.error({ err: error }, 'stop_failed');
      process.exit(1);
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  stopWithNpm(() => stop('npm_ended'));

  const starting = start({ config, log, closers, signal: ending.signal, stop }).then(
    () => {
      hasStarted = true;
    },
    (error: unknown) => {
      if (ending.signal.aborted) return;
      process.stderr.write(`${startFailure(error)}\n`);
      stop('start_failed', 1);
    },
  );
}

async function start({ config, log, closers, signal, stop }: StartOptions): Promise<void> {
  // Loaded while the database starts: each takes about as long as the other.
  const loading = Promise.all([import('./app.ts'), import('./features/users/users.repository.ts')]);
  loading.catch(() => undefined);
  const database = await startDatabase({
    config,
    log,
    signal,
    onLost: (error) => {
      log.fatal({ err: error }, 'database_lost');
      stop('database_lost', 1);
    },
    onLockLost: () => {
      // Another process writes there now: not another word, not even an orderly one.
      log.fatal('data_directory_lost');
      process.exit(1);
    },
  });
  closers.push(database.close);
  signal.throwIfAborted();
  const manifest: { version: string } = JSON.parse(
    await readFile(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
  );
  const setupCode = chooseSetupCode(config);
  const [{ buildApp }, { countUsers }] = await loading;
  const app = await buildApp({
    config,
    setupCode,
    database,
    version: manifest.version,
    webDir: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    log,
  });
  closers.push(() => app.close());
  signal.throwIfAborted();
  await app.listen({ host: config.host, port: config.port });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const shownHost = config.host.includes(':') ? `[${config.host}]` : config.host;
  const first = (await countUsers(database.db)) === 0 ? firstAccountHint(setupCode) : '';
  process.stdout.write(`Pressel is ready at ${config.publicUrl ?? `http://${shownHost}:${port}`}${first}\n`);
  log.info({ database: config.databaseUrl === null ? 'embedded' : 'server', port, mode: config.mode }, 'started');
}

interface StartOptions {
  config: Config;
  log: Logger;
  closers: Closers;
  signal: AbortSignal;
  /** Ends the process in order. */
  stop: (reason: string, exitCode: number) => void;
}

/**
 * Node has four threads for passwords, files and names of hosts. An import hashes on every core: with two more threads
 * than cores nobody who signs in meanwhile waits for one. Heard only before the first of them is needed.
 */
function roomForHashing(): void {
  // biome-ignore lint/style/noProcessEnv: this is how libuv is told, not a setting of ours
  process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism() + 2));
}

/** `npm start` dies of a signal without passing it on; the server would stay behind, holding the port. */
function stopWithNpm(stop: () => void): void {
  // biome-ignore lint/style/noProcessEnv: set by npm, not a setting of ours
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_CHECK_MS).unref();
}

/** What whoever installs it can mend needs no stack: the configuration, the data directory, the system's refusals. */
function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMendable =
    error instanceof ConfigError ||
    error instanceof DataInUseError ||
    error instanceof DatabaseStartError ||
    'syscall' in error;
  return isMendable && error.message !== '' ? error.message : (error.stack ?? error.message);
}

try {
  run();
} catch (error) {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
}
