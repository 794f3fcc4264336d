import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { programEnvironment } from './data-folder.ts';
import type { Identity } from './identity.ts';
import { askToEnd, ORDERLY_END_MS, readPostmaster } from './postmaster.ts';
import { DatabaseStartError, startFailure } from './start-error.ts';

/** Settings of our PostgreSQL: a small server, for one process on the same machine, that loses nothing. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Acknowledged changes are on the disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // The pool has ten connections; backups and admin commands need more.
  max_connections: '30',
  // A team of thousands has some 50 MB of tables; the system caches files as well.
  shared_buffers: '32MB',
  work_mem: '8MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '256MB',
  max_wal_size: '256MB',
  // Without replication and streaming PostgreSQL writes less and runs fewer processes.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  jit: 'off',
  // Only the server's own events are logged: statements and their values stay private.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_line_prefix: '',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** Returns the settings as arguments of `postgres`. @param more settings that replace or complete ours */
const settingArguments = (more: Readonly<Record<string, string>>): string[] =>
  Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** A recovery after a crash reads everything since the last checkpoint: at most a few hundred MB. */
const READY_LIMIT_MS = 120_000;
const POLL_MS = 10;
const LINES_KEPT = 50;

export type ServerLog = Record<'debug' | 'warn' | 'error', (fields: Record<string, unknown>, event: string) => void>;

export interface ServerRunOptions {
  programs: string;
  folder: string;
  settings: Readonly<Record<string, string>>;
  identity: Identity;
  log: ServerLog;
  signal?: AbortSignal | undefined;
}

/** One run of `postgres`, until it ends. */
export interface ServerRun {
  readonly pid: number;
  /** @throws DatabaseStartError */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** Asks the server to end, forces it if that takes too long, and waits. Idempotent. */
  stop(): Promise<void>;
}

export function runServer(options: ServerRunOptions): ServerRun {
  const { programs, folder, identity, log, signal } = options;
  const { file, args } = identity.command(join(programs, 'postgres'), [
    '-D',
    folder,
    ...settingArguments(options.settings),
  ]);
  const child = spawn(file, args, {
    ...identity.spawn,
    env: programEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // This process handles Ctrl+C: the server must outlive our last statements.
    detached: true,
  });
  const said: string[] = [];
  listen(child, (line) => {
    said.push(line);
    if (said.length > LINES_KEPT) said.shift();
    if (/^(?:FATAL|PANIC):/u.test(line)) log.warn({ line }, 'database_said');
    else log.debug({ line }, 'database_said');
  });
  const watchdog = child.pid === undefined ? null : startWatchdog(child.pid);
  let hasEnded = false;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const onEnd = (): void => {
    hasEnded = true;
    watchdog?.kill('SIGKILL');
    end();
  };
  child.once('error', (error) => {
    said.push(error.message);
    onEnd();
  });
  child.once('close', onEnd);

  const stop = async (): Promise<void> => {
    if (hasEnded || child.pid === undefined) return ended;
    await endServer(programs, child.pid, 'SIGINT');
    const isOver = await Promise.race([ended.then(() => true), delay(ORDERLY_END_MS, false, { ref: false })]);
    if (!isOver) await endServer(programs, child.pid, 'SIGQUIT');
    await ended;
  };
  const waitUntilReady = async (): Promise<void> => {
    const deadline = Date.now() + READY_LIMIT_MS;
    for (;;) {
      if (hasEnded) throw new DatabaseStartError(await startFailure(programs, folder, said));
      const server = await readPostmaster(folder);
      if (server?.pid === child.pid && server?.isReady === true) return;
      if (signal?.aborted === true || Date.now() > deadline) {
        await stop();
        signal?.throwIfAborted();
        throw new DatabaseStartError('PostgreSQL was not ready in time.');
      }
      await delay(POLL_MS);
    }
  };
  return { pid: child.pid ?? 0, ready: waitUntilReady(), ended, stop };
}

function listen(child: ChildProcess, hear: (line: string) => void): void {
  let rest = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
}

/**
 * Starts a process that waits for our end, whatever its cause, and then ends the server: it reads a pipe of ours.
 * Windows has no such thing; there the next start ends the leftover server.
 */
function startWatchdog(pid: number): ChildProcess | null {
  if (process.platform === 'win32') return null;
  const watchdog = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.on('error', () => undefined);
  watchdog.stdin?.on('error', () => undefined);
  watchdog.unref();
  return watchdog;
}

async function endServer(programs: string, pid: number, how: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (process.platform !== 'win32') {
    askToEnd(pid, how);
    return;
  }
  // Windows has no signals; PostgreSQL brings a program that sends its own kind.
  const child = spawn(join(programs, 'pg_ctl'), ['kill', how.slice(3), String(pid)], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
}
