import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../shared/durable-files.ts';
import type { Identity } from './identity.ts';
import { DAMAGED, DatabaseStartError, diskFull } from './start-error.ts';

export const SUPERUSER = 'pressel';
/** The only secret that opens the server where there are no Unix sockets. Anyone who can read the data can read it. */
const PASSWORD_FILE = 'pressel-password';
const INIT_LIMIT_MS = 120_000;
/** Entries that every PostgreSQL data folder has, whatever its version. */
const PARTS = ['PG_VERSION', 'global/pg_control', 'base', 'pg_wal', 'pg_xact'];

/**
 * Makes the data folder if there is none. It is renamed to its final name when it is whole and on the disk,
 * so a folder under its final name is always a whole database, or what is left of one.
 * @throws DatabaseStartError
 */
export async function provideDataFolder(options: {
  programs: string;
  folder: string;
  identity: Identity;
  isDurable: boolean;
  signal?: AbortSignal | undefined;
}): Promise<void> {
  const { folder } = options;
  await removeUnfinished(folder);
  if (!existsSync(folder) || (await readdir(folder)).length === 0) await createDataFolder(options);
  const missing = PARTS.filter((part) => !existsSync(join(folder, part)));
  if (missing.length > 0) {
    throw new DatabaseStartError(
      `${folder} is not a whole database any more: ${missing.join(', ')} is missing. ${DAMAGED}`,
    );
  }
}

/** The password for `pg`, where the server asks for one. */
export const readPassword = (folder: string): Promise<string> => readFile(join(folder, PASSWORD_FILE), 'utf8');

const siblings = (folder: string): string => `${basename(folder)}.new-`;

/** Removes what an interrupted start left behind. Nobody else works in this folder: our caller holds its lock. */
async function removeUnfinished(folder: string): Promise<void> {
  const entries = await readdir(dirname(folder));
  const unfinished = entries.filter((name) => name.startsWith(siblings(folder)));
  for (const name of unfinished) {
    await rm(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

async function createDataFolder({
  programs,
  folder,
  identity,
  isDurable,
  signal,
}: Parameters<typeof provideDataFolder>[0]) {
  const unfinished = await mkdtemp(join(dirname(folder), siblings(folder)));
  try {
    await chmod(unfinished, 0o700);
    await identity.own(unfinished);
    // PostgreSQL's built-in collation is the same on every machine, so an upgrade of the C library can't break an index.
    const args = ['-D', unfinished, '-U', SUPERUSER, '--encoding=UTF8', '--locale=C', '--no-instructions'];
    args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8');
    if (!isDurable) args.push('--no-sync');
    const passwordFile = `${unfinished}.password`;
    if (process.platform === 'win32') {
      await writeFile(passwordFile, randomBytes(32).toString('hex'), { mode: 0o600 });
      args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`);
    } else args.push('--auth=trust');
    await runInitdb(identity.command(join(programs, 'initdb'), args), identity, signal);
    if (process.platform === 'win32') await rename(passwordFile, join(unfinished, PASSWORD_FILE));
    await rename(unfinished, folder);
    if (isDurable) await syncFolder(dirname(folder));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

async function runInitdb({ file, args }: { file: string; args: string[] }, identity: Identity, signal?: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(file, args, {
    ...identity.spawn,
    env: programEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: INIT_LIMIT_MS,
    // This process handles Ctrl+C and ends the child itself.
    detached: true,
    ...(signal === undefined ? {} : { signal }),
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  child.on('error', reject);
  child.on('close', (code, killedBy) => {
    if (code === 0) resolve();
    else reject(new DatabaseStartError(initFailure(said, killedBy ?? `code ${code}`)));
  });
  await promise;
}

function initFailure(said: string, end: string): string {
  if (/No space left on device/u.test(said)) return diskFull();
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const reason = lines.find((line) => /error:|FATAL:|PANIC:/u.test(line)) ?? lines.at(-1) ?? `it ended with ${end}`;
  return `PostgreSQL could not make a new database: ${reason.trim()}. Nothing was left behind.`;
}

/** The environment without anything (PGDATA, PGPORT, TZ …) that changes how PostgreSQL works. */
export const programEnvironment = (): NodeJS.ProcessEnv => {
  // biome-ignore lint/style/noProcessEnv: what a program of the system needs to run at all
  const { PATH, SystemRoot, TEMP, TMP } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC', ...(SystemRoot === undefined ? {} : { SystemRoot, TEMP, TMP }) };
};
