import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { contractFingerprint } from '@pressel/contract/fingerprint';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database, Db } from './db/connect.ts';
import { inWords, startDatabase } from './db/start-database.ts';
import type { Lifetime } from './process.ts';
import { chooseSetupCode, firstAccountHint } from './shared/setup-code.ts';

export interface StartOptions extends Lifetime {
  config: Config;
  log: Logger;
  /** Gets the database, its tables up to date, before anybody is served. */
  fill?: (db: Db) => Promise<void>;
}

export interface StartedServer {
  /** The address to say. */
  origin: string;
  port: number;
  /** What is to be said behind the address while there is no account. */
  firstHint: string;
}

/** Database, app, listening. */
export async function startServer(options: StartOptions): Promise<StartedServer> {
  const { config, log, closers, signal, stop } = options;
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
    onLockLost: (how) => {
      log.fatal({ how }, 'data_directory_lost');
      // Another process may write there now, and an orderly end would write too.
      if (how === 'taken') process.exit(1);
      stop('data_directory_lost', 1);
    },
  });
  closers.push(database.close);
  try {
    return await serve(database, options, await loading);
  } catch (error) {
    throw inWords(error, config);
  }
}

type Modules = [typeof import('./app.ts'), typeof import('./features/users/users.repository.ts')];

async function serve(
  database: Database,
  { config, log, closers, signal, fill }: StartOptions,
  [{ buildApp }, { hasUsers }]: Modules,
): Promise<StartedServer> {
  signal.throwIfAborted();
  await fill?.(database.db);
  const manifest: { version: string } = JSON.parse(
    await readFile(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
  );
  const setupCode = chooseSetupCode(config);
  const app = await buildApp({
    config,
    setupCode,
    database,
    version: manifest.version,
    contract: contractFingerprint(),
    webDir: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    log,
  });
  closers.push(() => app.close());
  signal.throwIfAborted();
  await app.listen({ host: config.host, port: config.port });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const shownHost = config.host.includes(':') ? `[${config.host}]` : config.host;
  const firstHint = (await hasUsers(database.db)) ? '' : firstAccountHint(setupCode);
  return { origin: config.publicUrl ?? `http://${shownHost}:${port}`, port, firstHint };
}
