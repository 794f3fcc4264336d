import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A process of server/test that a bench speaks to by IPC. */
export interface Host {
  /** Its message when it is ready. */
  readonly ready: unknown;
  /** @throws Error when the host ends instead of answering */
  ask(request: object): Promise<unknown>;
  /** Asks it to close, and waits for its end. */
  close(): Promise<void>;
}

/** Answer of `processes-host.ts` about its server processes, as far as benches read it. */
export interface HostedProcesses {
  origins: string[];
  pids: number[];
  redisUrl: string;
  databaseUrl: string;
}

/** Answer of `processes-host.ts` to `fill`. */
export interface FilledTeam {
  tokens: string[];
  channelIds: string[];
}

/** @param file in server/test, where its requests and replies are described */
export async function startHost(
  file: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Host> {
  const host = fork(join(import.meta.dirname, '../../server/test', file), args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
  async function reply(): Promise<unknown> {
    const ended = new AbortController();
    const fail = once(host, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`The host of the bench ended with ${code}`);
    });
    const answered = once(host, 'message', { signal: ended.signal }).then(([message]: unknown[]) => message);
    try {
      return await Promise.race([answered, fail]);
    } finally {
      ended.abort();
      await Promise.allSettled([answered, fail]);
    }
  }
  return {
    ready: await reply(),
    ask(request) {
      host.send(request);
      return reply();
    },
    async close() {
      const ended = once(host, 'exit');
      host.send({ ask: 'close' });
      await ended;
    },
  };
}
