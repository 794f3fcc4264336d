import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { ConfigError } from './config/config.ts';
import { DataInUseError } from './db/data-lock.ts';
import { DatabaseStartError } from './db/embedded/start-error.ts';
import { FilesStartError } from './files/file-store.ts';
import { errorText } from './logs/log.ts';
import { RedisStartError } from './processes/redis.ts';
import { TlsError } from './tls/certificate.ts';

/** After this time the process drops whatever is still open: the promise is under 5 s. */
const SHUTDOWN_LIMIT_MS = 4_500;
/** The same for one of several processes, which first sends its clients to the others (PROC51). Units and images give it 30 s. */
export const DRAINED_WITHIN_MS = 28_000;
/** How often to check that npm, which doesn't pass on SIGTERM, is still there. */
const PARENT_CHECK_MS = 500;

/** The state of a process while it lives. */
export interface Lifetime {
  /** Closes open resources. They are listed in the order of opening; the last one is closed first. */
  readonly closers: (() => Promise<unknown>)[];
  /** Aborted when the process must end, also during its start. */
  readonly signal: AbortSignal;
  /** Ends the process in order. */
  stop(reason: string, exitCode?: number): void;
}

/**
 * Runs `start`, and ends the process in order: on a signal, when npm is gone, when the start fails, and after an uncaught
 * error. `endMs`: how long the end may take before it is forced.
 */
export function runProcess(
  log: Logger,
  start: (life: Lifetime) => Promise<void>,
  { endMs = SHUTDOWN_LIMIT_MS }: { endMs?: number } = {},
): void {
  roomForHashing();
  const ending = new AbortController();
  const closers: Lifetime['closers'] = [];
  let isStopping = false;
  let hasStarted = false;
  let exitCode = 0;
  /** Why the start failed. It is the last line, after what jobs say that ran meanwhile. */
  let failure = '';

  const exit = (code: number): never => {
    process.stderr.write(failure);
    process.exit(code);
  };
  const end = async (): Promise<void> => {
    setTimeout(() => {
      log.error('stopped_by_force');
      exit(1);
    }, endMs).unref();
    ending.abort();
    await starting;
    for (const close of closers.reverse()) await close();
    if (hasStarted) log.info('stopped');
    exit(exitCode);
  };
  const stop = (reason: string, code = 0): void => {
    exitCode = Math.max(exitCode, code);
    if (isStopping) return;
    isStopping = true;
    if (hasStarted) log.info({ reason }, 'stopping');
    end().catch((error: unknown) => {
      log.error({ err: error }, 'stop_failed');
      exit(1);
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  stopWithNpm(() => stop('npm_ended'));
  onUncaught((error, event) => {
    log.fatal({ err: error }, event);
    stop(event, 1);
  });

  const starting = start({ closers, signal: ending.signal, stop }).then(
    () => {
      hasStarted = true;
    },
    (error: unknown) => {
      if (ending.signal.aborted) return;
      failure = `${startFailure(error)}\n`;
      stop('start_failed', 1);
    },
  );
}

/**
 * Handles uncaught errors. Node would print them as they are: those of queries hold names, logins and hashes.
 */
export function onUncaught(
  handle: (error: unknown, event: 'uncaught_exception' | 'unhandled_rejection') => void,
): void {
  process.on('uncaughtException', (error) => handle(error, 'uncaught_exception'));
  process.on('unhandledRejection', (reason) => handle(reason, 'unhandled_rejection'));
}

/**
 * Node has four threads for passwords, files and host names. Imports together hash on every core: with two more threads
 * than cores, sign-ins don't wait for them. This works only before the first thread is needed.
 */
function roomForHashing(): void {
  // biome-ignore lint/style/noProcessEnv: this is how libuv is told, not a setting of ours
  process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism() + 2));
}

/** A signal ends `npm start`, which doesn't pass it on; the server would stay behind and hold the port. */
function stopWithNpm(stop: () => void): void {
  // biome-ignore lint/style/noProcessEnv: set by npm, not a setting of ours
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_CHECK_MS).unref();
}

/** Faults that the operator can mend need no stack: the configuration, the data directory, the system's refusals. */
export function startFailure(error: unknown): string {
  const isMendable =
    error instanceof ConfigError ||
    error instanceof DataInUseError ||
    error instanceof DatabaseStartError ||
    error instanceof FilesStartError ||
    error instanceof RedisStartError ||
    error instanceof TlsError ||
    (error instanceof Error && 'syscall' in error);
  return isMendable && error.message !== '' ? error.message : errorText(error);
}
