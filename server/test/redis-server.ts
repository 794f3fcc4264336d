import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Programs to look for on the search path, in this order. */
const PROGRAMS = ['redis-server', 'valkey-server'];
/** Another program may take the free port first. */
const ATTEMPTS = 5;

/** A test's own Redis, which keeps nothing on the disk: it is empty after each start. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Starts it again on the same port, after a `stop`. */
  start(): Promise<void>;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/**
 * Returns null where neither Redis nor Valkey is installed.
 * @param primary the server that it follows as a replica; it has what that one has
 */
export async function startRedis(primary?: RedisServer): Promise<RedisServer | null> {
  const server = await startOne();
  if (server !== null && primary !== undefined) await follow(server, primary);
  return server;
}

/** Makes a server a replica of another one, without ending its connections. */
export async function follow(server: RedisServer, primary: RedisServer): Promise<void> {
  await tellRedis(server, ['REPLICAOF', '127.0.0.1', String(primary.port)]);
  while (!/master_link_status:up/u.test(await tellRedis(server, ['INFO', 'replication']))) await sleep(20);
}

/** Makes a replica a primary. From here on it gets nothing of what the other one writes. */
export const promote = (server: RedisServer): Promise<string> => tellRedis(server, ['REPLICAOF', 'NO', 'ONE']);

/** Sends a command by a connection of its own. */
export async function tellRedis(server: Pick<RedisServer, 'url'>, command: readonly string[]): Promise<string> {
  const { createClient } = await import('@redis/client');
  const client = createClient({ url: server.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return String(await client.sendCommand(command));
  } finally {
    client.destroy();
  }
}

async function startOne(): Promise<RedisServer | null> {
  for (const program of PROGRAMS) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const port = await freePort();
      const begun = await begin(program, port);
      if (begun === 'missing') break;
      if (begun !== 'ended') return serve(program, port, begun);
    }
  }
  return null;
}

function serve(program: string, port: number, first: ChildProcess): RedisServer {
  let child = first;
  // Redis doesn't notice when the process that started it is gone.
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  return {
    ...{ port, url: `redis://127.0.0.1:${port}` },
    get pid() {
      return child.pid ?? 0;
    },
    async start() {
      const again = await begin(program, port);
      if (typeof again === 'string') throw new Error(`${program} did not start again on port ${port}`);
      child = again;
      process.once('exit', endWithUs);
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      process.off('exit', endWithUs);
    },
  };
}

/** Starts the program, and waits until it accepts connections. */
async function begin(program: string, port: number): Promise<ChildProcess | 'missing' | 'ended'> {
  const options = {
    ...{ bind: '127.0.0.1', port: String(port), save: '', appendonly: 'no' },
    // A replica gets the data at once, and writes none of it to the disk.
    ...{ dir: tmpdir(), 'repl-diskless-sync-delay': '0', 'repl-diskless-load': 'swapdb' },
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess | 'missing' | 'ended'>();
  child.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve('missing') : reject(error)));
  child.once('exit', () => resolve('ended'));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('Ready to accept connections')) resolve(child);
  });
  return promise;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
