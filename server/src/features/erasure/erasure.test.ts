import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUpUser } from '@pressel/contract/auth';
import { getMissedCalls } from '@pressel/contract/calls';
import { deleteChannel, deleteChannels } from '@pressel/contract/channels';
import { getMessageReaders, markMessagesRead, sendMessage } from '@pressel/contract/chat';
import { getFriendList, getUserCallEvents } from '@pressel/contract/legacy';
import { getChannelPositions, getUserTrail } from '@pressel/contract/positions';
import { changeUsers, getAllUsers } from '@pressel/contract/users';
import { type SQL, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database, Tx } from '#src/db/connect.ts';
import { buildTestApp, PASSWORD, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { startServer } from '#test/start-server.ts';
import { openTestDatabase, urlOf } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';

/** Tables of history, and the columns that name its owner. */
const HISTORY = [
  ['user_positions', ['user_id']],
  ['message_reads', ['user_id', 'channel_id']],
  ['message_marks', ['user_id', 'channel_id']],
  ['contacts', ['user_id', 'contact_id']],
] as const;

let database: Database;
let t: TestApp;
let team: Team;
beforeEach(async () => {
  database = await openTestDatabase();
  t = await buildTestApp({ database });
  team = await makeTeam(t);
});
afterEach(async () => {
  await t.close();
  await database.close();
});

const all = async <Row extends Record<string, unknown>>(statement: SQL) =>
  (await database.db.execute<Row>(statement)).rows;

/** How many rows of history name one of these users or channels, in one of these columns. */
async function historyOf(ids: readonly string[]): Promise<number> {
  let total = 0;
  for (const [table, columns] of HISTORY) {
    const named = columns.map((column) => sql`${sql.raw(column)} = any(${sql.param([...ids])}::uuid[])`);
    const [row] = await all<{ n: number }>(
      sql`select count(*)::int as n from ${sql.raw(table)} where ${sql.join(named, sql` or `)}`,
    );
    total += row?.n ?? 0;
  }
  return total;
}

/** Ana, Bo and the administrator have been somewhere, read what Bo wrote, and talked to each other. */
async function live(positions = 10): Promise<{ msgId: never }> {
  const { body } = await t.call(sendMessage, { channelId: team.nord, message: 'x' }, team.bo.token);
  for (const { id, token } of [team.ana, team.bo, team.admin]) {
    await t.call(markMessagesRead, { channelId: team.nord, from: 1, to: 1 }, token);
    await all(sql`insert into user_positions (user_id, recorded_at, lat, lng)
      select ${id}, now() - n * interval '1 s', 48, 2 from generate_series(1, ${positions}::int) n`);
    await all(sql`insert into last_positions (user_id, recorded_at, lat, lng, logged_at)
      values (${id}, now(), 48, 2, now())`);
  }
  const [ana, bo] = [await t.connect(team.ana.token), await t.connect(team.bo.token)];
  await caughtUp(ana, bo);
  const call = await ana.send('call_start', { userId: team.bo.id });
  if (!call.ok) throw new Error(call.code);
  await bo.send('call_accept', { callId: call.data.callId });
  await bo.send('call_end', { callId: call.data.callId });
  ana.close();
  bo.close();
  return { msgId: body.message.id as never };
}

const deleteUsers = (...people: { id: string }[]) =>
  t.call(changeUsers, { userIds: people.map(({ id }) => id as never), change: { type: 'delete' } }, team.admin.token);

/** Runs `meanwhile` while these rows are locked. */
async function holding(before: (tx: Tx) => Promise<unknown>, meanwhile: () => Promise<void>): Promise<void> {
  await database.db.transaction(async (tx) => {
    await before(tx);
    await meanwhile();
  });
}

/** Keeps others from deleting or changing a row of these tables until the transaction ends. */
async function lockRows(tx: Tx, ...tables: string[]): Promise<void> {
  for (const table of tables) await tx.execute(sql`select from ${sql.raw(table)} for update`);
}
const TABLES = HISTORY.map(([table]) => table);

/** Connections that wait for a row that somebody has locked. */
const WAITING = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const waiting = () => all(WAITING);

describe('[HIST2] a deletion waits for no row of history', () => {
  test('of users', async () => {
    await live();
    await holding(
      (tx) => lockRows(tx, ...TABLES, 'calls'),
      async () => {
        expect((await deleteUsers(team.ana, team.bo)).body).toMatchObject({ success: true });
      },
    );
    await waitUntil(async () => (await historyOf([team.ana.id, team.bo.id])) === 0);
  });

  test('of channels', async () => {
    await live();
    await holding(
      (tx) => lockRows(tx, 'message_reads', 'message_marks'),
      async () => {
        const { body } = await t.call(deleteChannels, { channelIds: [team.nord] }, team.admin.token);
        expect(body).toMatchObject({ success: true });
      },
    );
    await waitUntil(async () => (await historyOf([team.nord])) === 0);
  });
});

describe('what is deleted is gone for everybody at once, whatever is left of its history', () => {
  const untouched = (meanwhile: () => Promise<void>) => holding((tx) => lockRows(tx, ...TABLES), meanwhile);

  test('[HIST1] [HIST3] a user', async () => {
    const { msgId } = await live();
    await untouched(async () => {
      await deleteUsers(team.ana);
      const { token } = team.admin;
      expect(await historyOf([team.ana.id])).toBeGreaterThan(0);
      expect((await t.call(getAllUsers, {}, team.ana.token)).status).toBe(401);
      const people = (await t.call(getAllUsers, {}, token)).body.res.map(({ id }) => id);
      expect(people).not.toContain(team.ana.id);
      const map = (await t.call(getChannelPositions, { channelId: team.nord }, token)).body.res;
      expect(map.map(({ userId }) => userId)).toEqual([team.bo.id]);
      const trail = await t.call(getUserTrail, { channelId: team.nord, userId: team.ana.id }, token);
      expect(trail.body.code).toBe('not_found');
      const readers = (await t.call(getMessageReaders, { msgId }, token)).body.res;
      expect(readers.map(({ userId }) => userId)).toEqual([team.admin.id]);
      const { id: userId, token: boToken } = team.bo;
      expect((await t.call(getFriendList, { idUser: userId }, boToken)).body.res).toEqual([]);
      const [event] = (await t.call(getUserCallEvents, { userId }, boToken)).body.res;
      expect(event).toMatchObject({ caller: { id: null, display_name: 'Ana Test' } });
      const account = { firstName: 'Ana', lastName: 'Two', email: team.ana.email, password: PASSWORD };
      expect((await t.call(signUpUser, account, token)).status).toBe(200);
    });
    await waitUntil(async () => (await historyOf([team.ana.id])) === 0);
  });

  test('[HIST3] who called and is deleted is named without an id', async () => {
    const ana = await t.connect(team.ana.token);
    await caughtUp(ana);
    await ana.send('call_start', { userId: team.bo.id });
    await deleteUsers(team.ana);
    const { body } = await t.call(getMissedCalls, {}, team.bo.token);
    expect(body.res).toMatchObject([{ caller: { id: null, display_name: 'Ana Test' } }]);
  });

  test('[HIST1] a channel', async () => {
    const { msgId } = await live();
    await untouched(async () => {
      await t.call(deleteChannel, { channelId: team.nord }, team.admin.token);
      expect(await historyOf([team.nord])).toBeGreaterThan(0);
      expect((await t.call(getMessageReaders, { msgId }, team.admin.token)).body.code).toBe('not_found');
      const next = await makeChannel(t, team.admin, 'Nord', [team.ana.id]);
      const { body } = await t.call(markMessagesRead, { channelId: next, from: 1, to: 1 }, team.ana.token);
      expect(body).toMatchObject({ readUpTo: 0, unread: 0 });
    });
    await waitUntil(async () => (await historyOf([team.nord])) === 0);
  });
});

test('[HIST2] of several readers one read more than a part holds', async () => {
  await live();
  await all(
    sql`insert into message_reads select ${team.nord}, ${team.ana.id}, 2 * n, 2 * n, now() from generate_series(2, 12000) n`,
  );
  expect(await historyOf([team.nord])).toBeGreaterThan(12_000);
  await t.call(deleteChannel, { channelId: team.nord }, team.admin.token);
  await waitUntil(async () => (await all(sql`select from erasures`)).length === 0);
  expect(await historyOf([team.nord])).toBe(0);
});

test('[HIST2] the history of others stays', async () => {
  await live();
  await deleteUsers(team.ana);
  await t.call(deleteChannel, { channelId: team.sud }, team.admin.token);
  await waitUntil(async () => (await all(sql`select from erasures`)).length === 0);
  expect(await historyOf([team.ana.id])).toBe(0);
  // Ten positions, what was read and the mark of it; the contacts named Ana.
  expect(await historyOf([team.bo.id])).toBe(12);
  expect(await historyOf([team.admin.id])).toBe(12);
  expect(t.logLines.filter(({ msg }) => msg === 'history_erased').map(({ kind, count }) => [kind, count])).toEqual([
    ['user', 1],
    ['channel', 1],
  ]);
});

test('[HIST2] a server that is killed meanwhile goes on at its next start', { timeout: 240_000 }, async () => {
  await live(25_000);
  await t.close();
  await all(sql`delete from users where id = ${team.ana.id}`);
  const positions = async () => (await all(sql`select from user_positions where user_id = ${team.ana.id}`)).length;
  const dataDir = await mkdtemp(join(tmpdir(), 'pressel-erasure-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const start = () => {
    const run = startServer({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' });
    onTestFinished(async () => {
      run.child.kill('SIGKILL');
      await run.ended;
    });
    return run;
  };
  const { rows } = await database.db.execute<{ name: string }>(sql`select current_database() as name`);
  const databaseUrl = urlOf(String(rows[0]?.name));

  const killed = start();
  // The second part of the deletion waits for a row in the middle of the history.
  await holding(
    (tx) =>
      tx.execute(sql`select from user_positions where user_id = ${team.ana.id} and recorded_at
        between now() - interval '3 hours 10 seconds' and now() - interval '3 hours' for update`),
    async () => {
      await waitUntil(async () => (await waiting()).length > 0, 120_000);
      killed.child.kill('SIGKILL');
      expect(await killed.ended).toBe('SIGKILL');
      // Nothing of that part is deleted: PostgreSQL undoes the work of a process that is gone.
      await all(sql`select pg_terminate_backend(pid, 10_000) from (${WAITING}) waiting`);
    },
  );
  expect(await positions()).toBe(15_000);

  const next = start();
  await waitUntil(async () => (await all(sql`select from erasures`)).length === 0, 120_000);
  expect(await positions()).toBe(0);
  // It stops in order, so that it leaves the database before the next test.
  next.child.kill('SIGTERM');
  expect(await next.ended).toBe(0);
});

test('[HIST4] it is the same whoever deletes the row', async () => {
  await live();
  await t.close();
  await all(sql`delete from users where id = ${team.ana.id}`);
  await all(sql`delete from channels where id = ${team.nord}`);
  expect(await historyOf([team.ana.id, team.nord])).toBeGreaterThan(0);
  t = await buildTestApp({ database });
  await waitUntil(async () => (await historyOf([team.ana.id, team.nord])) === 0);
});

test('[HIST2] what is being read while the reader is deleted is stored before, or not at all', async () => {
  await t.call(sendMessage, { channelId: team.nord, message: 'x' }, team.bo.token);
  const marks = [team.ana, team.admin].map(({ token }) =>
    Array.from({ length: 10 }, () => t.call(markMessagesRead, { channelId: team.nord, from: 1, to: 1 }, token)),
  );
  await t.signUp('Second', team.admin.token);
  await all(sql`update users set role = 'admin' where identifier = 'second@example.org'`);
  const second = await t.signIn({ email: 'second@example.org' });
  await all(sql`update sessions set verified_at = now()`);
  const userIds = [team.ana.id, team.admin.id];
  const { body } = await t.call(changeUsers, { userIds, change: { type: 'delete' } }, second);
  expect(body.success).toBe(true);
  const answers = (await Promise.all(marks.flat())).map(({ status }) => status);
  expect(answers.every((status) => status === 200 || status === 401)).toBe(true);
  await waitUntil(async () => (await all(sql`select from erasures`)).length === 0);
  expect(await historyOf(userIds)).toBe(0);
});
