import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import { AppError } from '#src/shared/app-error.ts';
import type { Image, ImageJob, MakerReply, ProcessLimits } from './job.ts';

const PROGRAM = fileURLToPath(new URL('./image-process.ts', import.meta.url));
/**
 * The worst image within the limits takes six seconds of a core and 0.9 GB; a photo of 24 megapixels takes one second and 0.3 GB. The
 * process counts its own CPU time, so a busy machine accepts the same images as a quiet one.
 */
const LIMITS: ProcessLimits = { cpuMs: 10_000, memoryBytes: 1_073_741_824, keptBytes: 402_653_184 };
/** Wall-clock limit, whatever the process reports. Its start takes a fifth of a second. */
const TIME_MAX_MS = 30_000;
/** An idle process keeps 100 MB. */
const IDLE_MS = 60_000;
export const RETRY_AFTER_SECONDS = 2;
/** Crash signals that an image can cause. Other signals come from us, or from the system when memory is short. */
const CRASHES: readonly unknown[] = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGTRAP'];

const makerReply = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('made'),
    images: z.array(z.object({ bytes: z.instanceof(Buffer), width: z.int(), height: z.int() })),
    isSpent: z.boolean(),
  }),
  z.object({
    state: z.literal('refused'),
    code: z.enum(['wrong_type', 'too_large']),
    reason: z.string(),
    isSpent: z.boolean(),
  }),
  z.object({ state: z.literal('exceeded'), what: z.enum(['time', 'memory']) }),
]) satisfies z.ZodType<MakerReply>;

/** A process that makes images, one at a time. It starts when needed, and ends after some idle time. */
export interface Maker {
  /** @throws AppError wrong_type, too_large (also in time or memory), unavailable */
  make(job: ImageJob): Promise<Image[]>;
  /** Kills the process, whatever it does. Later requests are refused as unavailable. */
  close(): void;
}

export interface MakerDeps {
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Starts a process; tests pass one that they control. */
  start?: () => ChildProcess;
}

export function createMaker({ log, start = startImageProcess }: MakerDeps): Maker {
  let child: ChildProcess | undefined;
  let idling: NodeJS.Timeout | undefined;
  let isClosed = false;

  const startOne = (): ChildProcess => {
    const started = start();
    const forget = () => {
      if (child === started) child = undefined;
    };
    // 'error': the process could not be started.
    started.on('exit', forget).on('error', forget);
    return started;
  };
  const kill = (): void => {
    child?.kill('SIGKILL');
    child = undefined;
  };
  const killBecause = (reason: string): AppError => {
    log.warn({ reason }, 'image_process_killed');
    kill();
    return new AppError('too_large', {}, { cause: new Error(reason) });
  };

  return {
    async make(job) {
      if (isClosed) throw unavailable();
      clearTimeout(idling);
      child ??= startOne();
      const outcome = await ask(child, job);
      idling = setTimeout(kill, IDLE_MS);
      if (outcome.state === 'exceeded') throw killBecause(outcome.what);
      if (outcome.state === 'made' || outcome.state === 'refused') {
        if (outcome.isSpent) kill();
        if (outcome.state === 'made') return outcome.images;
        throw new AppError(outcome.code, {}, { cause: new Error(outcome.reason) });
      }
      if (!isClosed) log.warn({ cause: outcome.cause }, 'image_process_died');
      // The process may still live if its reply was invalid.
      kill();
      throw CRASHES.includes(outcome.cause) ? new AppError('wrong_type') : unavailable();
    },
    close() {
      isClosed = true;
      clearTimeout(idling);
      kill();
    },
  };
}

const unavailable = () => new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });

type Outcome = MakerReply | { state: 'died'; cause: unknown };

async function ask(child: ChildProcess, job: ImageJob): Promise<Outcome> {
  if (child.pid === undefined) return { state: 'died', cause: 'not started' };
  const settled = new AbortController();
  const { signal } = settled;
  const { promise: late, resolve } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => resolve({ state: 'exceeded', what: 'time' }), TIME_MAX_MS);
  try {
    const outcome = Promise.race<Outcome>([
      once(child, 'message', { signal }).then(
        ([message]) => makerReply.safeParse(message).data ?? { state: 'died', cause: 'unknown reply' },
      ),
      once(child, 'exit', { signal }).then(([code, cause]) => ({ state: 'died', cause: cause ?? code })),
      late,
    ]);
    // If it can't be sent, the process has ended, and `outcome` waits for that already.
    child.send(job, () => undefined);
    return await outcome;
  } finally {
    clearTimeout(timer);
    settled.abort();
  }
}

/** @param limits limits that differ from the usual ones, for tests */
export function startImageProcess(limits: Partial<ProcessLimits> = {}): ChildProcess {
  const child = fork(PROGRAM, [JSON.stringify({ ...LIMITS, ...limits })], {
    // The server's environment holds secrets, so none of it is passed. One image at a time needs one thread.
    env: { UV_THREADPOOL_SIZE: '1' },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  if (child.pid === undefined) return child;
  try {
    // The floor has priority. Set at once: threads inherit the priority of the thread that starts them.
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some hosts don't allow it; images are made anyway.
  }
  return child;
}
