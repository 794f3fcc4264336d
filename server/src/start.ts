import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { contractFingerprint } from '@pressel/contract/fingerprint';
import type { Logger } from 'pino';
import { createPasswords } from './accounts/passwords.ts';
import { keepSetupCode } from './accounts/secrets.ts';
import type { Config } from './config/config.ts';
import { chooseSetupCode, firstAccountHint } from './config/setup-code.ts';
import type { Database, Db } from './db/connect.ts';
import { inWords, startDatabase } from './db/start-database.ts';
import { listenForMetrics } from './http/metrics-endpoint.ts';
import type { Lifetime } from './process.ts';
import { type Contact, contactOf, describeMachine, selfSignedNotes } from './tls/machine.ts';
import { openTls } from './tls/tls.ts';

export interface StartOptions extends Lifetime {
  config: Config;
  log: Logger;
  /** Changes the database, after its migrations and before anybody is served. */
  fill?: (db: Db) => Promise<void>;
  /** Prints text for people who watch the start, and later: the machine may get another address. */
  say?: (text: string) => void;
}

export interface StartedServer {
  origin: string;
  port: number;
}

/** Starts database and app, and listens. Prints the address, and what the first account needs. */
export async function startServer(options: StartOptions): Promise<StartedServer> {
  const { config, log, closers, signal, stop } = options;
  // Loaded while the database starts: both take about the same time.
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
    onDatabaseTaken: () => {
      log.fatal('database_taken');
      stop('database_taken', 1);
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
  { config, log, closers, signal, fill, say = () => undefined }: StartOptions,
  [{ buildApp }, { hasUsers }]: Modules,
): Promise<StartedServer> {
  signal.throwIfAborted();
  await fill?.(database.db);
  const manifest: { version: string } = JSON.parse(
    await readFile(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
  );
  const metrics =
    config.metrics === null ? null : (await import('./logs/metrics-registry.ts')).createMetrics(manifest.version);
  const isShared = config.redisUrl !== null;
  const setupCode = await chooseSetupCode(config, isShared ? (text) => keepSetupCode(database.db, text) : undefined);
  const tls = await openTls(config, log);
  let contact: Contact | undefined;
  const app = await buildApp({
    config,
    tls,
    setupCode,
    sharedAddress: () => contact?.shared ?? null,
    database,
    version: manifest.version,
    contract: contractFingerprint(),
    webDir: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    log,
    metrics,
    passwords: await createPasswords(undefined, undefined, config.hashingCores),
  });
  closers.push(() => app.close());
  if (isShared && config.s3 === null && !database.isFirst) await app.checkFolder();
  const { token = null, listen = null } = config.metrics ?? {};
  if (metrics !== null && listen !== null) {
    const listener = await listenForMetrics(metrics, { token, listen }, log);
    closers.push(listener.close);
    log.info({ port: listener.port }, 'metrics_ready');
  }
  signal.throwIfAborted();
  await app.listen({ host: config.host, port: config.port });
  await app.admitting();
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const sayWhere = async (words: string, hint: string): Promise<Contact> => {
    contact = contactOf(config, port, await describeMachine(config.host));
    say(`Pressel is ${words} ${contact.origin}${hint}\n`);
    if (config.tls.kind === 'self' && tls !== null) say(selfSignedNotes(contact, tls.fingerprint()));
    return contact;
  };
  const { origin } = await sayWhere('ready at', (await hasUsers(database.db)) ? '' : firstAccountHint(setupCode));
  if (tls !== null) {
    tls.keepRenewed(() => sayWhere('using a new certificate at', ''));
    closers.push(async () => tls.close());
  }
  // Added last, so that it runs first: everything still works while clients move to other processes.
  if (isShared) closers.push(() => app.drain());
  return { origin, port };
}
