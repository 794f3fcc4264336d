import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Connection, startCluster } from '#src/db/embedded/cluster.ts';
import { findPrograms } from '#src/db/embedded/programs.ts';
import { openBalancer } from './balancer.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { readyServer, type ServerRun, startServer } from './start-server.ts';

/** One of several server processes. It keeps its name over restarts. */
export interface ServerProcess {
  readonly origin: string;
  readonly pid: number;
  /** The log of all its runs. */
  errors(): string;
  /** A SIGSTOP leaves its connections open, and nothing answers on them; SIGCONT undoes it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Returns its exit code, or the signal that ended it. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | string>;
  /** Starts it after a `stop`. @param root the root of another version's server, to run instead of this one */
  start(root?: string): Promise<void>;
  /** Cuts its way to Redis, or opens it again. */
  reachesRedis(reaches: boolean): void;
  /** Lets nothing through between it and PostgreSQL, and ends no connection; or undoes that. Only with `isDatabaseFar`. */
  hearsDatabase(hears: boolean): void;
}

export interface Processes {
  /** The address of the balancer. */
  readonly origin: string;
  readonly servers: readonly ServerProcess[];
  readonly redis: RedisServer;
  /** Follows `redis`. Only with `hasReplica`. */
  readonly replica: RedisServer;
  /** Makes the address that the processes know lead to another Redis. `ends`: it also ends the connections through it. */
  leadTo(redis: RedisServer, options: { ends: boolean }): void;
  readonly databaseUrl: string;
  /** Kills the PostgreSQL, which starts again by itself. Only where these processes have their own. */
  killDatabase(): void;
  /** Cuts all connections of the balancer. */
  cut(): void;
  close(): Promise<void>;
}

export interface ProcessesOptions {
  count: number;
  /** An existing PostgreSQL, in which a database is made. Without it the processes get their own. */
  cluster?: Connection;
  /** A database of that PostgreSQL to copy. Without it the processes begin with an empty one. */
  template?: string;
  env?: NodeJS.ProcessEnv;
  /** Additional variables for one of them, by its number from 0. */
  envOf?: (index: number) => NodeJS.ProcessEnv;
  /** The root of another version, which all of them run at first. */
  root?: string;
  /** They speak to Redis itself, so that nothing of the test is between them. Nobody can cut their way. */
  isRedisDirect?: boolean;
  /** Each reaches PostgreSQL by a route of its own, on which its packets can be dropped. */
  isDatabaseFar?: boolean;
  /** Starts a replica of their Redis. */
  hasReplica?: boolean;
}

/** PostgreSQL writes as in the product: what it acknowledged survives a kill. */
const SETTINGS = { max_connections: '150' };
const quiet = { debug: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Starts real server processes with their own PostgreSQL and Redis, behind a balancer that picks a random process for each connection.
 * @throws Error where no Redis is installed
 */
export async function startProcesses({
  count,
  cluster,
  template,
  env = {},
  envOf,
  root,
  isRedisDirect = false,
  isDatabaseFar = false,
  hasReplica = false,
}: ProcessesOptions): Promise<Processes> {
  const redis = await startRedis();
  if (redis === null) throw new Error('Several processes need redis-server (Debian: apt-get install redis-server)');
  const dataDir = await mkdtemp(join(tmpdir(), 'pressel-processes-'));
  const replica = hasReplica ? await startRedis(redis) : null;
  const stopRedis = () => Promise.all([redis.stop('SIGKILL'), replica?.stop('SIGKILL')]);
  const closers: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true }), stopRedis];
  const close = async () => {
    for (const one of closers.splice(0).toReversed()) await one();
  };
  try {
    const own = cluster === undefined ? await ownCluster(dataDir) : null;
    if (own !== null) closers.push(() => own.stop());
    const database = await makeDatabase(cluster ?? (own?.connection as Connection), template);
    closers.push(() => database.drop());
    const servers: ServerProcess[] = [];
    const gates: Gate[] = [];
    for (let index = 0; index < count; index += 1) {
      const gate = isRedisDirect ? directWay(redis.url) : await openGate(redis.port);
      gates.push(gate);
      closers.push(gate.close);
      const route = isDatabaseFar ? await openRoute(database.url) : null;
      if (route !== null) closers.push(route.close);
      const given = {
        DATA_DIR: dataDir,
        DATABASE_URL: route?.url ?? database.url,
        REDIS_URL: gate.url,
        LOG_LEVEL: 'warn',
      };
      servers.push(createProcess({ ...given, ...env, ...envOf?.(index) }, gate, route));
    }
    closers.push(() => Promise.all(servers.map((server) => server.stop('SIGKILL'))));
    // Without this they would outlive a crashed test.
    const endWithUs = () => {
      for (const { pid } of servers) if (pid > 0) process.kill(pid, 'SIGKILL');
    };
    process.once('exit', endWithUs);
    closers.push(async () => process.off('exit', endWithUs));
    await Promise.all(servers.map((server) => server.start(root)));
    const balancer = await openBalancer(() => servers.flatMap(({ origin }) => (origin === '' ? [] : portOf(origin))));
    closers.push(() => balancer.close());
    return {
      ...{ origin: balancer.origin, servers, redis, databaseUrl: database.url, close },
      killDatabase() {
        if (own === null) throw new Error('The PostgreSQL is shared with others');
        process.kill(own.pid, 'SIGKILL');
      },
      cut: balancer.cut,
      get replica() {
        if (replica === null) throw new Error('The Redis has no replica');
        return replica;
      },
      leadTo({ port }, { ends }) {
        for (const gate of gates) gate.lead(port, ends);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const ownCluster = async (dataDir: string) =>
  startCluster({ programs: await findPrograms(), folder: join(dataDir, 'postgres'), settings: SETTINGS, log: quiet });

async function makeDatabase(
  connection: Connection,
  template?: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `processes_${randomUUID().replaceAll('-', '')}`;
  const administer = async (statement: string) => {
    const client = new pg.Client(connection);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const copied = template === undefined ? '' : `template ${template} strategy file_copy`;
  await administer(`create database ${name} ${copied}`);
  const { user, host, port } = connection;
  return {
    url: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(String(host))}`,
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
}

interface Gate {
  readonly url: string;
  reach(reaches: boolean): void;
  lead(port: number, ends: boolean): void;
  close(): Promise<void>;
}

/** A process's route to Redis, which can be cut, or lead to another one. */
async function openGate(firstPort: number): Promise<Gate> {
  let isOpen = true;
  let port = firstPort;
  const way = await openBalancer(() => (isOpen ? [port] : []), { asks: false });
  return {
    url: way.origin.replace('http:', 'redis:'),
    reach(reaches) {
      isOpen = reaches;
      if (!reaches) way.cut();
    },
    lead(to, ends) {
      port = to;
      if (ends) way.cut();
    },
    close: way.close,
  };
}

interface Route {
  readonly url: string;
  hear(hears: boolean): void;
  close(): Promise<void>;
}

/** A process's route to PostgreSQL, which listens on a Unix socket. */
async function openRoute(databaseUrl: string): Promise<Route> {
  const { username, pathname, port, searchParams } = new URL(databaseUrl);
  const way = await openBalancer(() => [`${searchParams.get('host')}/.s.PGSQL.${port}`], { asks: false });
  return {
    url: `postgres://${username}@${new URL(way.origin).host}${pathname}`,
    hear: (hears) => way.silence(!hears),
    close: way.close,
  };
}

const directWay = (url: string): Gate => ({
  url,
  reach: refuseDirect,
  lead: refuseDirect,
  close: async () => undefined,
});

const refuseDirect = (): never => {
  throw new Error('The way to Redis is direct');
};

function createProcess(env: NodeJS.ProcessEnv, gate: Gate, route: Route | null): ServerProcess {
  let run: ServerRun | null = null;
  let origin = '';
  let before = '';
  const errors = () => before + (run?.errors() ?? '');
  return {
    get origin() {
      return origin;
    },
    get pid() {
      return run?.child.pid ?? 0;
    },
    errors,
    reachesRedis: gate.reach,
    hearsDatabase(hears) {
      if (route === null) throw new Error('The way to PostgreSQL is direct');
      route.hear(hears);
    },
    signal: (name) => void run?.child.kill(name),
    async stop(signal = 'SIGTERM') {
      if (run === null) return 0;
      run.child.kill(signal);
      const ended = await run.ended;
      before = errors();
      [run, origin] = [null, ''];
      return ended;
    },
    async start(root) {
      const { CLOCK_OFFSET_MS: offset } = env;
      run = startServer(env, ['../src/main.ts'], offset === undefined ? [] : ['./other-clock.ts'], root);
      ({ origin } = await readyServer(run));
    },
  };
}

const portOf = (origin: string): number => Number(new URL(origin).port);
