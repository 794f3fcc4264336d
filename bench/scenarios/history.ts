/**
 * Deletes a hundred users with a month of positions each, and then a channel that thousands have read. Meanwhile another administrator
 * renames a channel over and over. In the middle the server is killed and started again. The bench tells how long the lock of accounts was
 * held, what renaming took beside its calm value, and how long the history took to go. Fewer positions of each user:
 * `npm run bench -- history 20000`. At 400,000 it needs 8 GB of disk and up to half an hour.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyPassword } from '@pressel/contract/auth';
import { deleteChannels, updateChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { changeUsers } from '@pressel/contract/users';
import { createApi, PASSWORD, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { startHost } from '../shared/host.ts';
import { conclude, percentile, round } from '../shared/report.ts';

const [positions = 400_000] = process.argv.slice(2).map(Number);
const USERS = 100;
/** Further history of each user: ranges that they read, calls and contacts. */
const OTHERS = { reads: 5_000, calls: 5_000, contacts: 90 };
/** History of the channel that is deleted. */
const CHANNEL = { readers: 5_000, reads: 200 };
/** Moments that one statement stores. So rows of one time are beside each other, as they are when they come one by one. */
const MOMENTS = 1_000;
const RENAME_EVERY_MS = 20;
const CALM_MS = 10_000;
const LOOK_EVERY_MS = 1_000;
/** Limit for holding the lock of accounts. */
const LIMIT_HELD_MS = 1_000;
/** Limit for renaming, beside its calm value in the same run: the disk is busy meanwhile. */
const LIMIT_RATIO = 10;

const host = await startHost('database-host.ts');
const { url } = host.ready as { url: string };
const run = async <Row>(sql: string) => (await host.ask({ ask: 'run', sql })) as { rows: Row[]; ms: number };
const longestHeld = async () => ((await host.ask({ ask: 'held' })) as { heldMs: number }).heldMs;
const countOf = async (sql: string) =>
  (await run<{ n: number }>(`select count(*)::int as n from ${sql}`)).rows[0]?.n ?? 0;
const server = await startPressel({ LOG_LEVEL: 'error', DATABASE_URL: url });
try {
  const api = createApi(server.origin);
  const admin = await api.person('Admin');
  const other = await api.person('Other', admin.token);
  await run(`update users set role = 'admin' where id = '${other.id}'`);
  const renamed = await api.channel(admin, 'Nord');
  await fill();
  const ids = (await run<{ id: UserId }>(`select id from users where identifier like 'gone%' order by id`)).rows.map(
    ({ id }) => id,
  );
  const { rows: large } = await run<{ id: ChannelId }>(`select id from channels where name = 'Large'`);
  const size = await run<{ size: string }>(`select pg_size_pretty(pg_database_size(current_database())) as size`);
  say('filled', { size: size.rows[0]?.size });

  const calm = rename(renamed.id, other);
  await sleep(CALM_MS);
  const calmMs = await calm.stop();
  await api.call(verifyPassword, { userId: admin.id, password: PASSWORD } as never, admin.token);
  await longestHeld();

  // First part: users, with a kill in the middle.
  const renaming = rename(renamed.id, other);
  const begun = performance.now();
  await api.call(changeUsers, { userIds: ids, change: { type: 'delete' } }, admin.token);
  const usersCallMs = performance.now() - begun;
  const usersHeldMs = await longestHeld();
  say('users deleted', { usersCallMs: round(usersCallMs), usersHeldMs: round(usersHeldMs) });
  const all = USERS * positions;
  await until(async () => (await deletedRows()) > all / 3);
  const beforeKillMs = performance.now() - begun;
  await server.restart('SIGKILL');
  const restarted = performance.now();
  await until(async () => (await countOf('erasures')) === 0);
  const historyMs = performance.now() - begun;
  const historyHeldMs = await longestHeld();
  const busyMs = await renaming.stop();
  const left = await countOf(`user_positions where user_id = any(array['${ids.join("','")}']::uuid[])`);
  const afterRestartMs = performance.now() - restarted;
  say('their history gone', { historyMs: round(historyMs), left });

  // Second part: a channel.
  const renamingOn = rename(renamed.id, other);
  const channelBegun = performance.now();
  await api.call(deleteChannels, { channelIds: large.map(({ id }) => id) }, admin.token);
  const channelCallMs = performance.now() - channelBegun;
  await until(async () => (await countOf('erasures')) === 0);
  const channelHistoryMs = performance.now() - channelBegun;
  const channelHeldMs = await longestHeld();
  const channelBusyMs = await renamingOn.stop();
  const channelLeft = await countOf('message_reads');

  const figures = {
    ...{ users: USERS, positionsEach: positions, others: OTHERS, channel: CHANNEL, size: size.rows[0]?.size },
    renameCalm: spreadOf(calmMs),
    deletedUsers: {
      callMs: round(usersCallMs),
      lockHeldMs: round(usersHeldMs),
      lockHeldMeanwhileMs: round(historyHeldMs),
      historySeconds: round(historyMs / 1_000),
      killedAfterSeconds: round(beforeKillMs / 1_000),
      secondsAfterRestart: round(afterRestartMs / 1_000),
      rename: spreadOf(busyMs),
      rowsLeft: left,
    },
    deletedChannel: {
      callMs: round(channelCallMs),
      lockHeldMs: round(channelHeldMs),
      historySeconds: round(channelHistoryMs / 1_000),
      rename: spreadOf(channelBusyMs),
      rowsLeft: channelLeft,
    },
  };
  console.log(JSON.stringify(figures, null, 2));
  const limitMs = round(LIMIT_RATIO * percentile(calmMs, 0.95));
  conclude('history', figures, [
    { what: 'lock of accounts held by the deletion of users', value: usersHeldMs, limit: LIMIT_HELD_MS, unit: 'ms' },
    { what: 'and by anybody while their history goes', value: historyHeldMs, limit: LIMIT_HELD_MS, unit: 'ms' },
    { what: 'and by the deletion of a channel', value: channelHeldMs, limit: LIMIT_HELD_MS, unit: 'ms' },
    { what: 'rename meanwhile, p95', value: percentile(busyMs, 0.95), limit: limitMs, unit: 'ms' },
    { what: 'positions left of the users', value: left, limit: 0, unit: 'rows' },
    { what: 'ranges left of the channel', value: channelLeft, limit: 0, unit: 'rows' },
  ]);
} finally {
  await server.dispose();
  await host.close();
}

/** Stores the users and the channel, with their history, as if it had come in the course of a month. */
async function fill(): Promise<void> {
  await run(`insert into users (id, identifier, first_name, last_name, password_hash, role)
    select gen_random_uuid(), case when n <= ${USERS} then 'gone' else 'user' end || n || '@example.org', 'A' || n, 'B', '-', 'member'
    from generate_series(1, ${CHANNEL.readers}) n`);
  await run(`insert into channels (id, name, rtc_session) values (gen_random_uuid(), 'Large', 'Large')`);
  await run(`insert into channel_members (channel_id, user_id)
    select channels.id, users.id from channels, users where channels.name = 'Large'`);
  await run(
    `insert into last_positions (user_id, recorded_at, lat, lng, logged_at) select id, now(), 48, 2, now() from users`,
  );
  for (let from = 1; from <= positions; from += MOMENTS) {
    await run(`insert into user_positions (user_id, recorded_at, lat, lng, accuracy)
      select id, now() - interval '30 days' + n * interval '5 s', 48, 2, 10
      from generate_series(${from}, ${Math.min(positions, from + MOMENTS - 1)}) n, users
      where identifier like 'gone%' order by n`);
    if (from % (MOMENTS * 50) === 1) say('filling', { positionsEach: from - 1 });
  }
  await run(
    `insert into message_marks (user_id, channel_id, read_up_to) select user_id, channel_id, 1 from channel_members`,
  );
  const ranges = (count: number, where: string) => `insert into message_reads
    select channel_id, user_id, 2 * n, 2 * n, now() from generate_series(1, ${count}) n, channel_members
      join users on users.id = user_id where ${where} order by n`;
  await run(ranges(OTHERS.reads, `identifier like 'gone%'`));
  await run(ranges(CHANNEL.reads, `identifier not like 'gone%'`));
  await run(`insert into calls (id, caller_id, caller_name, callee_id, callee_name, caller_socket, created_at, ended_at, reason)
    select gen_random_uuid(), a.id, 'A', b.id, 'B', 'x', now() - n * interval '10 min', now(), 'hung_up'
    from generate_series(1, ${OTHERS.calls}) n, users a, (select id from users where identifier = 'user200@example.org') b
    where a.identifier like 'gone%' order by n`);
  await run(`insert into contacts (user_id, contact_id, created_at, last_call_at)
    select a.id, b.id, now(), now() from users a, (select id from users limit ${OTHERS.contacts}) b
    where a.identifier like 'gone%' and a.id <> b.id`);
  await run('vacuum analyze');
}

/** Renames a channel over and over, until it is told to stop. @returns how long each answered renaming took, ms */
function rename(channelId: ChannelId, person: Person): { stop(): Promise<number[]> } {
  const took: number[] = [];
  let isOver = false;
  const working = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const begun = performance.now();
      try {
        await createApi(server.origin).call(updateChannel, { channelId, channelName: `Nord ${turn}` }, person.token);
        took.push(performance.now() - begun);
      } catch (error) {
        // Nobody answers while the server is started again.
        if (!(error instanceof TypeError)) throw error;
      }
      await sleep(RENAME_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await working;
      return took;
    },
  };
}

/** Deleted rows as PostgreSQL counts them, a moment late. */
async function deletedRows(): Promise<number> {
  const { rows } = await run<{ n: string }>(
    `select n_tup_del as n from pg_stat_user_tables where relname = 'user_positions'`,
  );
  return Number(rows[0]?.n ?? 0);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(LOOK_EVERY_MS);
}

function spreadOf(values: readonly number[]) {
  const [p50, p95, max] = [percentile(values, 0.5), percentile(values, 0.95), Math.max(...values)];
  return { times: values.length, p50: round(p50), p95: round(p95), max: round(max) };
}

function say(what: string, figures: object): void {
  console.log(`${what}: ${JSON.stringify(figures)}`);
}
