import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
const START_LIMIT_MS = 180_000;

export interface PresselProcess {
  readonly origin: string;
  readonly pid: number;
  /** Ends the process as an operator would, or by kill -9, and starts it again on the same port and data. */
  restart(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  /** Ends the process and removes its data. */
  dispose(): Promise<void>;
}

/** The answer of `server/test/processes-host.ts` to each request. */
interface Several {
  origin: string;
  pids: number[];
  redisPid: number;
  databaseUrl: string;
}

/** Several server processes behind a balancer, which pages see as one server. */
export interface PresselProcesses extends PresselProcess {
  readonly pids: readonly number[];
  stopOne(index: number, signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  startOne(index: number): Promise<void>;
  /** Restarts one after the other, as an upgrade does. */
  restartInTurn(): Promise<void>;
  stopRedis(): Promise<void>;
  startRedis(): Promise<void>;
}

/**
 * The real server in a process of its own, on a free port and an empty data directory. With PRESSEL_PROCESSES, that many processes run
 * behind a balancer.
 */
export async function startPressel(env: NodeJS.ProcessEnv = {}): Promise<PresselProcess> {
  const { PRESSEL_PROCESSES: count } = process.env;
  if (count !== undefined) return startSeveral(Number(count), env);
  const dataDir = mkdtempSync(join(tmpdir(), 'pressel-e2e-'));
  let child: ChildProcess;
  let origin = '';

  const start = async (): Promise<void> => {
    const port = origin === '' ? '0' : new URL(origin).port;
    const { npm_lifecycle_event: _npm, ...inherited } = process.env;
    child = spawn(process.execPath, [join(root, 'server/src/main.ts')], {
      cwd: root,
      env: { ...inherited, LOG_LEVEL: 'warn', NODE_ENV: 'production', ...env, DATA_DIR: dataDir, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      origin = await readyOrigin(child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  };
  const stop = (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    return ended;
  };

  await start();
  return {
    get origin() {
      return origin;
    },
    get pid() {
      return child.pid ?? 0;
    },
    start,
    stop,
    async restart(signal) {
      await stop(signal);
      await start();
    },
    async dispose() {
      await stop();
      await databaseEnded(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A killed server leaves its database behind, which ends by itself a moment later. */
async function databaseEnded(dataDir: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (existsSync(join(dataDir, 'postgres/postmaster.pid'))) {
    if (Date.now() > deadline) throw new Error(`The database in ${dataDir} did not end`);
    await delay(20);
  }
}

function readyOrigin(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error('The server was not ready in time')), START_LIMIT_MS);
  child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it was ready`)));
  if (child.stdout === null) throw new Error('The output of the server is needed to learn its port');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const address = /ready at (https?:\/\/\S+)/u.exec(line)?.[1];
    if (address === undefined) return;
    clearTimeout(timer);
    resolve(address);
  });
  return promise;
}

/**
 * Starts this many server processes with a PostgreSQL and a Redis of their own.
 * @param root the root of another version, which they run until they are started again
 * @throws Error where no Redis is installed
 */
export async function startSeveral(
  count: number,
  env: NodeJS.ProcessEnv = {},
  root?: string,
): Promise<PresselProcesses> {
  const { npm_lifecycle_event: _npm, ...inherited } = process.env;
  const theirs = Object.fromEntries(Object.entries(env).map(([name, value]) => [`SERVER_${name}`, value]));
  const args = [String(count), ...(root === undefined ? [] : [root])];
  const host = fork(join(import.meta.dirname, '../../server/test/processes-host.ts'), args, {
    env: { ...inherited, SERVER_NODE_ENV: 'production', ...theirs },
  });
  const ended = once(host, 'exit');
  const reply = async (): Promise<Several> => {
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    const fail = ended.then(([code]) => {
      throw new Error(`The host of the processes ended with ${code}`);
    });
    const [said] = await Promise.race([once(host, 'message', { signal: limit }), fail]);
    return said as Several;
  };
  let state = await reply();
  let asked: Promise<void> = Promise.resolve();
  const ask = (request: object): Promise<void> => {
    asked = asked.then(async () => {
      host.send(request);
      state = await reply();
    });
    return asked;
  };
  const servers = state.pids.map((_, index) => index);
  const stopOne = (index: number, signal?: 'SIGTERM' | 'SIGKILL') => ask({ ask: 'stop', server: index, signal });
  const startOne = (index: number) => ask({ ask: 'start', server: index });
  /** The server is back with its first process. The others follow, and what is asked meanwhile waits for them. */
  const start = async () => {
    const [first] = servers.filter((index) => state.pids[index] === 0).map(startOne);
    await first;
  };
  const stop = (signal?: 'SIGTERM' | 'SIGKILL') => ask({ ask: 'stop_all', signal });
  return {
    get origin() {
      return state.origin;
    },
    get pid() {
      return state.pids[0] ?? 0;
    },
    get pids() {
      return state.pids;
    },
    ...{ stopOne, startOne, start, stop },
    async restart(signal) {
      await stop(signal);
      await start();
    },
    async restartInTurn() {
      for (const index of servers) {
        await stopOne(index);
        await startOne(index);
      }
    },
    stopRedis: () => ask({ ask: 'stop_redis' }),
    startRedis: () => ask({ ask: 'start_redis' }),
    async dispose() {
      await asked;
      host.send({ ask: 'close' });
      await ended;
    },
  };
}
