/**
 * For browser tests and benches: several server processes behind a balancer, with one PostgreSQL and one Redis. The first argument is
 * their number. The second one, if there is one, is the root of another version, which they run at first. They get environment variables
 * that have the prefix SERVER_. It is controlled by IPC.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import pg from 'pg';
import { hashToken } from '#src/shared/ids.ts';
import { answerBench } from './answer-bench.ts';
import { startProcesses } from './processes.ts';

/** Requests of a test. `server`: the number of a process, from 0. */
export type ProcessesRequest =
  | { ask: 'stop' | 'start' | 'pause' | 'continue'; server: number; signal?: 'SIGTERM' | 'SIGKILL' }
  | { ask: 'stop_all'; signal?: 'SIGTERM' | 'SIGKILL' }
  | { ask: 'fill'; members: number; channels: number }
  | { ask: 'count' }
  | { ask: 'stop_redis' | 'start_redis' | 'kill_database' | 'cut' | 'close' };
export interface ProcessesReply {
  origin: string;
  /** The addresses of the server processes themselves. */
  origins: string[];
  /** Ids of the server processes; 0: it was stopped. */
  pids: number[];
  redisPid: number;
  databaseUrl: string;
  redisUrl: string;
}

const PREFIX = 'SERVER_';
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [],
  ),
);
const [, , number, root] = process.argv;
const processes = await startProcesses({
  ...{ count: Number(number), env, isRedisDirect: true },
  ...(root === undefined ? {} : { root }),
});

const state = (): ProcessesReply => ({
  origin: processes.origin,
  origins: processes.servers.map(({ origin }) => origin),
  pids: processes.servers.map(({ pid }) => pid),
  redisPid: processes.redis.pid,
  databaseUrl: processes.databaseUrl,
  redisUrl: processes.redis.url,
});

/** Creates signed-in members, spread evenly over channels; one in four of each may see the map. They have no password. */
async function fill(members: number, channels: number): Promise<{ tokens: string[]; channelIds: string[] }> {
  const tokens = Array.from({ length: members }, () => randomBytes(32).toString('base64url'));
  const [userIds, channelIds] = [members, channels].map((length) => Array.from({ length }, () => randomUUID()));
  const client = new pg.Client(processes.databaseUrl);
  await client.connect();
  await client.query(
    `insert into users (id, identifier, first_name, last_name, password_hash, role, map_right)
    select id, 'member' || n || '@example.org', 'Member ' || n, 'Martin', '-', 'member', (n - 1 + (n - 1) / $2::int) % 4 = 0
    from unnest($1::uuid[]) with ordinality as one(id, n)`,
    [userIds, channels],
  );
  await client.query(
    `insert into channels (id, name, rtc_session) select id, 'Channel ' || n, 'Channel' || n
    from unnest($1::uuid[]) with ordinality as one(id, n)`,
    [channelIds],
  );
  await client.query(
    `insert into channel_members (channel_id, user_id) select ($2::uuid[])[1 + (n - 1) % $3::int], id
    from unnest($1::uuid[]) with ordinality as one(id, n)`,
    [userIds, channelIds, channels],
  );
  await client.query(
    `insert into sessions (id, token_hash, user_id, remember, expires_at)
    select gen_random_uuid(), hash, id, false, now() + interval '1 day' from unnest($1::uuid[], $2::text[]) as one(id, hash)`,
    [userIds, tokens.map(hashToken)],
  );
  await client.end();
  return { tokens, channelIds: channelIds ?? [] };
}

/** Counts things that must not pile up. */
async function count(): Promise<{ redisKeys: number; redisConnections: number; databaseConnections: number }> {
  const redis = await createClient({ url: processes.redis.url }).connect();
  const [redisKeys, clients] = await Promise.all([redis.dbSize(), redis.clientList()]);
  await redis.close();
  const client = new pg.Client(processes.databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int from pg_stat_activity where datname = current_database()',
  );
  await client.end();
  // Leaves out the connections that count.
  const [redisConnections, databaseConnections] = [clients.length - 1, (rows[0]?.count ?? 1) - 1];
  return { redisKeys, redisConnections, databaseConnections };
}

async function answer(
  request: ProcessesRequest,
): Promise<ProcessesReply | Awaited<ReturnType<typeof fill>> | Awaited<ReturnType<typeof count>>> {
  const server = 'server' in request ? processes.servers[request.server] : undefined;
  switch (request.ask) {
    case 'stop':
      await server?.stop(request.signal);
      break;
    case 'stop_all':
      await Promise.all(processes.servers.map((one) => one.stop(request.signal)));
      break;
    case 'start':
      await server?.start();
      break;
    case 'pause':
      server?.signal('SIGSTOP');
      break;
    case 'continue':
      server?.signal('SIGCONT');
      break;
    case 'fill':
      return fill(request.members, request.channels);
    case 'count':
      return count();
    case 'stop_redis':
      await processes.redis.stop('SIGKILL');
      break;
    case 'start_redis':
      await processes.redis.start();
      break;
    case 'kill_database':
      processes.killDatabase();
      break;
    case 'cut':
      processes.cut();
      break;
    case 'close':
      for (const { errors } of processes.servers) process.stderr.write(errors());
      await processes.close();
      break;
  }
  return state();
}

answerBench(answer);
process.once('disconnect', () => void processes.close());
process.send?.(state());
