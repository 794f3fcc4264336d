import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PresselProcess } from './server-process.ts';

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

const START_LIMIT_MS = 180_000;

/** Starts this many server processes with a PostgreSQL and a Redis of their own. @throws Error where no Redis is installed */
export async function startSeveral(count: number, env: NodeJS.ProcessEnv = {}): Promise<PresselProcesses> {
  const { npm_lifecycle_event: _npm, ...inherited } = process.env;
  const theirs = Object.fromEntries(Object.entries(env).map(([name, value]) => [`SERVER_${name}`, value]));
  const host = fork(join(import.meta.dirname, '../../server/test/processes-host.ts'), [String(count)], {
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
  const ask = async (request: object): Promise<void> => {
    host.send(request);
    state = await reply();
  };
  const servers = state.pids.map((_, index) => index);
  const stopOne = (index: number, signal?: 'SIGTERM' | 'SIGKILL') => ask({ ask: 'stop', server: index, signal });
  const startOne = (index: number) => ask({ ask: 'start', server: index });
  const start = async () => {
    for (const index of servers) if (state.pids[index] === 0) await startOne(index);
  };
  const stop = async (signal?: 'SIGTERM' | 'SIGKILL') => {
    for (const index of servers) await stopOne(index, signal);
  };
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
      host.send({ ask: 'close' });
      await ended;
    },
  };
}
