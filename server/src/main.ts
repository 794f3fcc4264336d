import { mkdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { buildApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { openEmbedded, openPostgres } from './db/connect.ts';
import { DataInUseError, lockDataDir } from './db/data-lock.ts';
import { countUsers } from './features/users/users.repository.ts';
import { createLog } from './shared/log.ts';

/** After this the process ends whatever is still open: the promise is under 5 s. */
const SHUTDOWN_LIMIT_MS = 4_500;
/** How often to look whether npm, which does not pass on SIGTERM, is still there. */
const PARENT_CHECK_MS = 500;

async function start(): Promise<void> {
  roomForHashing();
  const config = readConfig();
  const log = createLog(config.logLevel, pino.destination({ dest: 2, sync: true }));
  await mkdir(config.dataDir, { recursive: true });
  const lost = (): void => {
    // Another process writes there now: not another word, not even an orderly one.
    log.fatal('data_directory_lost');
    process.exit(1);
  };
  const lock = config.databaseUrl === null ? lockDataDir(config.dataDir, lost) : null;
  const database =
    config.databaseUrl === null
      ? await openEmbedded(config.dataDir)
      : await openPostgres(config.databaseUrl, (error) => log.error({ err: error }, 'database_failed'));
  const manifest: { version: string } = JSON.parse(
    await readFile(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
  );
  const app = await buildApp({
    config,
    database,
    version: manifest.version,
    webDir: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    log,
  });

  let isStopping = false;
  const stop = async (reason: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error('stopped_by_force');
      process.exit(1);
    }, SHUTDOWN_LIMIT_MS).unref();
    await app.close();
    await database.close();
    lock?.release();
    log.info('stopped');
    process.exit(0);
  };
  const stopOrFail = (reason: string): void => {
    stop(reason).catch((error: unknown) => {
      log.error({ err: error }, 'stop_failed');
      process.exit(1);
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopOrFail(signal));
  stopWithNpm(() => stopOrFail('npm_ended'));

  await app.listen({ host: config.host, port: config.port });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const shownHost = config.host.includes(':') ? `[${config.host}]` : config.host;
  const first = (await countUsers(database.db)) === 0 ? ' — the first person to sign up becomes administrator' : '';
  process.stdout.write(`Pressel is ready at ${config.publicUrl ?? `http://${shownHost}:${port}`}${first}\n`);
  log.info({ engine: database.engine, port, mode: config.mode }, 'started');
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
  const isMendable = error instanceof ConfigError || error instanceof DataInUseError || 'syscall' in error;
  return isMendable && error.message !== '' ? error.message : (error.stack ?? error.message);
}

start().catch((error: unknown) => {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
});
