import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cast } from './store.ts';

/** The data that the team needs to act. */
export interface ActingTask {
  origin: string;
  cast: Cast;
  /** Chooses its story. */
  seed: number;
}
/** The first message of the team's process, which then waits for its task. */
export interface ActingReady {
  /** The library for voices is installed. */
  hasVoices: boolean;
}

const RESTART_MS = 2_000;

export interface KeepActingOptions {
  task: Promise<ActingTask>;
  /** Ends the acting. */
  signal: AbortSignal;
  log: { warn(fields: object, event: string): void };
  /** Starts the team's process; tests start another one. */
  start?: () => ChildProcess;
  restartMs?: number;
}

/**
 * Lets the team act in a process of its own, and in another one whenever that ends by itself. `ready` is the first process's message;
 * `over` resolves when the last one has ended.
 */
export function keepActing({
  task,
  signal,
  log,
  start = () => fork(join(import.meta.dirname, 'actors-process.ts')),
  restartMs = RESTART_MS,
}: KeepActingOptions): { ready: Promise<ActingReady>; over: Promise<void> } {
  const ready = Promise.withResolvers<ActingReady>();

  const actOnce = async (): Promise<void> => {
    const child = start();
    const ended = Promise.withResolvers<{ code: number | null; by: string | null }>();
    child.once('exit', (code, by) => ended.resolve({ code, by }));
    // The process could not be started, or the message could not be sent. Then it does nothing, so it is ended.
    child.on('error', () => {
      child.kill('SIGKILL');
      if (child.pid === undefined) ended.resolve({ code: null, by: null });
    });
    const kill = () => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    child.once('message', (message: ActingReady) => {
      ready.resolve(message);
      task.then(
        (known) => child.connected && child.send(known),
        () => undefined,
      );
    });
    const how = await ended.promise;
    signal.removeEventListener('abort', kill);
    ready.resolve({ hasVoices: false });
    if (!signal.aborted) log.warn(how, 'demo_actors_ended');
  };
  const over = (async () => {
    while (!signal.aborted) {
      await actOnce();
      await delay(restartMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return { ready: ready.promise, over };
}
