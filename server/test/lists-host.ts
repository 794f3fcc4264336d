/**
 * For `npm run bench -- lists`: the whole server over a large team in a throw-away PostgreSQL. On request it also runs the
 * last call's statements bare: only here can both be timed on one database. It is controlled by IPC.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contractFingerprint } from '@pressel/contract/fingerprint';
import Fastify, { type FastifyInstance } from 'fastify';
import pg from 'pg';
import { buildApp } from '#src/app.ts';
import { openDatabase } from '#src/db/connect.ts';
import { startCluster } from '#src/db/embedded/cluster.ts';
import { findPrograms } from '#src/db/embedded/programs.ts';
import { createLog } from '#src/logs/log.ts';
import { answerBench } from './answer-bench.ts';
import { waitUntil } from './wait-until.ts';

/** Requests of the bench. `recall` keeps the statements of the next calls; `bare` runs those of the last one again. */
export type HostRequest =
  | { ask: 'fill'; size: TeamSize }
  | { ask: 'scatter' }
  | { ask: 'recall' }
  | { ask: 'bare' }
  | { ask: 'time'; sql: string }
  | { ask: 'held' }
  | { ask: 'close' };
export type HostReply =
  | { origin: string; bareOrigin: string }
  | { tokens: string[] }
  | { ms: number; statements: number }
  | { ms: number; rows: unknown[] }
  | { ms: number }
  | { done: true };
/** The channel of `messages`; the bench knows it, too. */
const LONG_CHANNEL = '01900000-0000-7000-8000-0000000000aa';

export interface TeamSize {
  users: number;
  channels: number;
  memberships: number;
  activities: number;
  /** Messages in a channel of their own, of which the administrator is a member. */
  messages?: number;
}

/** A statement as Drizzle passes it to the driver. */
interface Statement {
  query: pg.QueryConfig;
  values: unknown[];
}
const AUTHENTICATION = /"sessions"/u;

/** No allowances, unless they are measured. */
const UNLIMITED = { burst: 1e9, perSecond: 1e9 };
const budget = { session: UNLIMITED, user: UNLIMITED, address: UNLIMITED };
const isWithAllowances = process.argv[2] === 'with';

const log = createLog('error', process.stderr);
const dir = await mkdtemp(join(tmpdir(), 'pressel-lists-'));
const cluster = await startCluster({ programs: await findPrograms(), folder: join(dir, 'postgres'), log });
let recalled: Statement[] = [];

/** A connection of the server, which keeps its statements. */
class WatchedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const watched = (first: pg.QueryConfig, values?: unknown[], ...rest: unknown[]): unknown => {
      // Keeps only the call's own statements: every call looks up its token.
      if (Array.isArray(values) && !AUTHENTICATION.test(first.text)) recalled.push({ query: first, values });
      return query(first, values, ...rest);
    };
    this.query = watched as typeof this.query;
  }
}
const connection = { ...cluster.connection, Client: WatchedClient as new () => pg.Client };
const database = await openDatabase(connection, (err) => log.error({ err }));
const bareClient = new pg.Client(cluster.connection);
await bareClient.connect();
const app = await buildApp({
  config: {
    redisUrl: null,
    s3: null,
    tls: { kind: 'off' },
    publicUrl: null,
    trustedProxies: [],
    signup: 'member',
    passwordMinLength: 1,
    ice: { stunUrls: [], turnUrls: [], turnSecret: null, policy: 'all' },
    dataDir: dir,
    databaseUrl: null,
    activityRetentionDays: null,
    messageRetentionDays: null,
    positionRetentionDays: 30,
    map: { styleUrl: null, origins: [], center: [2.35, 48.85] },
    metrics: null,
    mode: 'production',
  },
  setupCode: null,
  tls: null,
  metrics: null,
  sharedAddress: () => null,
  database,
  version: '0.0.0-bench',
  // The page's own, or every page would say that its server has another version.
  contract: contractFingerprint(),
  webDir: fileURLToPath(new URL('../../web/dist', import.meta.url)),
  log,
  ...(isWithAllowances ? {} : { budget }),
});
await app.listen({ host: '127.0.0.1', port: 0 });

/**
 * The longest time that work held the event loop since the last question. It is this thread's processor time between two
 * timers of a millisecond, so that other processes on a busy machine don't count.
 */
let heldMs = 0;
let usedBefore = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(usedBefore);
  usedBefore = process.threadCpuUsage();
  heldMs = Math.max(heldMs, (user + system) / 1_000);
}, 1).unref();
function held(): { ms: number } {
  const longest = { ms: heldMs };
  heldMs = 0;
  return longest;
}

/** Measures the cost of HTTP and JSON alone: the body is a statement, the reply its rows. */
const bareHttp = Fastify();
const barePool = new pg.Pool(cluster.connection);
bareHttp.post<{ Body: { sql: string } }>('/', async ({ body }) => ({ rows: (await barePool.query(body.sql)).rows }));
await bareHttp.listen({ host: '127.0.0.1', port: 0 });

const COUNTED_WITHIN_MS = 600_000;

/** A realistic team: names with accents, a few hundred of each; everybody in some channels, all spread evenly. */
async function fill({ users, channels, memberships, activities, messages = 0 }: TeamSize): Promise<void> {
  await bareClient.query(
    `insert into users (id, identifier, first_name, last_name, pseudo, password_hash, role, map_right, created_at)
    select gen_random_uuid(), 'user' || n || '@example.org',
      (array['Camille','Zoé','André','Émile','Noël','Inès','Louis','Jade','Hugo','Chloé'])[1 + n % 10] || ' ' || n % 97,
      (array['Martin','Lefèvre','Durand','Œuvre','Bernard','Garçon','Petit','Müller','Roux'])[1 + n % 9] || ' ' || n % 311,
      case when n % 3 = 0 then 'Écho ' || n else '' end, '-', 'member', n % 4 = 0,
      timestamptz '2025-01-01 08:00Z' + n * interval '53 minutes'
    from generate_series(1, $1::int) n`,
    [users],
  );
  await bareClient.query(
    `insert into channels (id, name, rtc_session, talk_mode, created_at)
    select gen_random_uuid(), 'Canal ' || n, 'Canal' || n, case when n % 10 = 0 then 'open' else 'single' end,
      timestamptz '2025-01-01 08:00Z' + n * interval '7 hours'
    from generate_series(1, $1::int) n`,
    [channels],
  );
  await bareClient.query(
    `with u as (select id, row_number() over (order by id) - 1 as n from users),
      c as (select id, row_number() over (order by id) - 1 as n from channels)
    insert into channel_members (channel_id, user_id)
    select c.id, u.id from u cross join generate_series(0, $1::int - 1) k
    join c on c.n = (u.n * 7 + k * 97) % $2::int on conflict do nothing`,
    [Math.round(memberships / users), channels],
  );
  await bareClient.query(
    // One in ten is for auditors, and has a target.
    `with u as (select id, first_name, row_number() over (order by id) - 1 as n from users),
      c as (select id, name, row_number() over (order by id) - 1 as n from channels)
    insert into activities (id, type, is_audit, user_id, user_first_name, user_display_name, target_id, target_name,
      channel_id, channel_name, created_at)
    select gen_random_uuid(), case when k % 10 = 0 then 'role_change' when k % 3 = 0 then 'login' else 'channel_talk' end,
      k % 10 = 0, u.id, u.first_name, u.first_name, case when k % 10 = 0 then u.id end, case when k % 10 = 0 then u.first_name end,
      c.id, c.name, timestamptz '2026-01-01 08:00Z' + k * interval '1 minute'
    from generate_series(1, $1::int) k join u on u.n = (k::bigint * 7919) % $2::int
      left join c on k % 10 <> 0 and k % 3 <> 0 and c.n = k % $3::int`,
    [activities, users, channels],
  );
  if (messages > 0) await fillMessages(messages);
  // The server counts new entries for some time, which would disturb measurements.
  await waitUntil(
    async () => (await bareClient.query('select from activity_deltas limit 1')).rowCount === 0,
    COUNTED_WITHIN_MS,
  );
  await bareClient.query('vacuum analyze');
}

async function fillMessages(messages: number): Promise<void> {
  await bareClient.query(
    `insert into channels (id, name, rtc_session) values ('${LONG_CHANNEL}', 'Canal long', 'Canallong')`,
  );
  await bareClient.query(
    `insert into channel_members (channel_id, user_id) select '${LONG_CHANNEL}', id from users where role = 'admin'`,
  );
  // Messages of two channels alternate, as if they had been written at the same time.
  await bareClient.query(
    `insert into messages (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
    select gen_random_uuid(), c.id, n, u.id, 'Camille Martin',
      'Message numéro ' || n || ' : équipe ' || n % 40 || ' en place, besoin d’un véhicule de plus au carrefour' ||
        case when n % 20 = 0 then repeat(' et encore quelques mots', 10) else '' end,
      gen_random_uuid(), timestamptz '2026-01-01 08:00Z' + n * interval '1 minute'
    from generate_series(1, $1::int) n
    cross join (select '${LONG_CHANNEL}'::uuid union all select gen_random_uuid()) c(id)
    cross join (select id from users where role = 'member' limit 1) u`,
    [messages],
  );
  await bareClient.query(`insert into message_counters (channel_id, newest) values ('${LONG_CHANNEL}', $1)`, [
    messages,
  ]);
}

/** Puts everybody somewhere in France, and signs them in. @returns their tokens */
async function scatter(): Promise<{ tokens: string[] }> {
  await bareClient.query(
    `insert into sessions (id, token_hash, user_id, remember, expires_at)
    select gen_random_uuid(), encode(sha256(convert_to('bench-' || identifier, 'utf8')), 'hex'), id, false, now() + interval '1 day'
    from users where role = 'member'`,
  );
  await bareClient.query(
    `insert into last_positions (user_id, recorded_at, lat, lng, logged_at)
    select id, now() - interval '1 minute', 43 + random() * 8, -1 + random() * 8, now() from users where role = 'member'`,
  );
  const { rows } = await bareClient.query<{ identifier: string }>(`select identifier from users where role = 'member'`);
  return { tokens: rows.map(({ identifier }) => `bench-${identifier}`) };
}

async function bare(): Promise<{ ms: number; statements: number }> {
  const statements = [...recalled];
  const begun = performance.now();
  for (const { query, values } of statements) await bareClient.query(query, values);
  return { ms: performance.now() - begun, statements: statements.length };
}

async function answer(request: HostRequest): Promise<HostReply> {
  switch (request.ask) {
    case 'fill':
      await fill(request.size);
      return { done: true };
    case 'scatter':
      return scatter();
    case 'recall':
      recalled = [];
      return { done: true };
    case 'bare':
      return bare();
    case 'time': {
      const begun = performance.now();
      const { rows } = await bareClient.query(request.sql);
      return { ms: performance.now() - begun, rows };
    }
    case 'held':
      return held();
    case 'close':
      await app.close();
      await bareHttp.close();
      await barePool.end();
      await bareClient.end();
      await database.close();
      await cluster.stop();
      await rm(dir, { recursive: true, force: true });
      return { done: true };
  }
}

answerBench(answer);
const originOf = ({ server }: Pick<FastifyInstance, 'server'>) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.send?.({ origin: originOf(app), bareOrigin: originOf(bareHttp) } satisfies HostReply);
