import { createChannel, getAllChannels } from '@pressel/contract/channels';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { openStrictDatabase, openTestDatabase } from '#test/test-database.ts';
import type { Database, Tx } from './connect.ts';
import { databaseTrouble, isCollision, violatedConstraint } from './errors.ts';

const BUSY = { kind: 'busy', retryAfterSeconds: 2 };
const AWAY = { kind: 'away', retryAfterSeconds: 5 };

describe('what a failure of the database means', () => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  const failure = async (work: Promise<unknown>): Promise<unknown> => {
    const [{ status, ...rest }] = await Promise.allSettled([work]);
    expect(status).toBe('rejected');
    return 'reason' in rest ? rest.reason : undefined;
  };
  const inTx = (work: (tx: Tx) => Promise<unknown>) => failure(database.db.transaction(work));

  test('nobody waits for ever', async () => {
    for (const name of ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']) {
      const { rows } = await database.db.execute(sql.raw(`show ${name}`));
      expect(Object.values(rows[0] ?? {})).toEqual([expect.stringMatching(/^[1-9]\d*s$/u)]);
    }
  });

  test('a statement that takes too long is the server being busy', async () => {
    const error = await inTx(async (tx) => {
      await tx.execute(sql`set local statement_timeout = '20ms'`);
      await tx.execute(sql`select pg_sleep(60)`);
    });
    expect(databaseTrouble(error)).toEqual(BUSY);
  });

  test('a lock that is not had in time is the server being busy', async () => {
    const error = await inTx(async (holder) => {
      await holder.execute(sql`lock table users`);
      await database.db.transaction(async (tx) => {
        await tx.execute(sql`set local lock_timeout = '20ms'`);
        await tx.execute(sql`select * from users`);
      });
    });
    expect(databaseTrouble(error)).toEqual(BUSY);
  });

  test('a deadlock is, and may be tried again', async () => {
    const hold = (tx: Tx, key: number) => tx.execute(sql`select pg_advisory_xact_lock(${key}::bigint)`);
    const [mine, theirs] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const both = await Promise.allSettled([
      database.db.transaction(async (tx) => {
        await hold(tx, 1);
        mine.resolve();
        await theirs.promise;
        await hold(tx, 2);
      }),
      database.db.transaction(async (tx) => {
        await hold(tx, 2);
        theirs.resolve();
        await mine.promise;
        await hold(tx, 1);
      }),
    ]);
    const errors = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(errors.map((error) => [databaseTrouble(error), isCollision(error)])).toEqual([[BUSY, true]]);
  });

  test('two that cannot be put in an order are, and may be tried again', async () => {
    await database.db.execute(sql`insert into channels (id, name, rtc_session) values (${uuidV7()}, 'A', 'A')`);
    const change = (tx: Tx) => tx.execute(sql`update channels set version = version + 1`);
    const error = await failure(
      database.db.transaction(
        async (tx) => {
          await tx.execute(sql`select * from channels`);
          await database.db.transaction(change);
          await change(tx);
        },
        { isolationLevel: 'serializable' },
      ),
    );
    expect([databaseTrouble(error), isCollision(error)]).toEqual([BUSY, true]);
  });

  test('no connection left in the pool is the server being busy', async () => {
    const small = await openStrictDatabase({ max: 1, connectionTimeoutMillis: 50 });
    const error = await failure(small.db.transaction(() => small.db.execute(sql`select 1`)));
    expect(databaseTrouble(error)).toEqual(BUSY);
    await small.close();
  });

  test('no connection left in the server is it being busy', async () => {
    const role = `limited_${uuidV7().replaceAll('-', '')}`;
    await database.db.execute(sql.raw(`create role ${role} login connection limit 0`));
    const client = new pg.Client({ ...inject('cluster'), user: role });
    expect(databaseTrouble(await failure(client.connect()))).toEqual(BUSY);
    await database.db.execute(sql.raw(`drop role ${role}`));
  });

  test('a connection that is cut, or not had, is the server being away', async () => {
    const { connection, killed } = await cutConnection();
    expect(databaseTrouble(killed)).toEqual(AWAY);
    expect(databaseTrouble(await failure(connection.query('select 1')))).toEqual(AWAY);
    const nowhere = new pg.Client({ ...inject('cluster'), host: '/nowhere' });
    expect(databaseTrouble(await failure(nowhere.connect()))).toEqual(AWAY);
    for (const code of ['EPIPE', 'ECONNRESET']) {
      expect(databaseTrouble(Object.assign(new Error('broken'), { code, syscall: 'write' }))).toEqual(AWAY);
    }
    expect(databaseTrouble(Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' }))).toBeNull();
  });

  async function cutConnection() {
    const connection = new pg.Client(inject('cluster'));
    connection.on('error', () => undefined);
    await connection.connect();
    const { rows } = await connection.query('select pg_backend_pid() as pid');
    const waiting = failure(connection.query('select pg_sleep(60)'));
    await database.db.execute(sql`select pg_terminate_backend(${rows[0].pid}::int)`);
    return { connection, killed: await waiting };
  }

  test('a fault of ours is neither, and a missing value names no constraint', async () => {
    const missing = await inTx((tx) => tx.execute(sql`insert into channel_members (user_id) values (${uuidV7()})`));
    expect([databaseTrouble(missing), violatedConstraint(missing)]).toEqual([null, null]);
    const wrong = await inTx((tx) => tx.execute(sql`select nonsense`));
    expect([databaseTrouble(wrong), violatedConstraint(wrong)]).toEqual([null, null]);
  });
});

describe('a server whose database is busy', () => {
  let t: TestApp;
  let team: Team;
  let database: Database;
  beforeEach(async () => {
    // Long enough that only deliberate locks cause timeouts, however busy the machine is.
    database = await openStrictDatabase({ lock_timeout: 500 });
    t = await buildTestApp({ database });
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    await database.close();
  });
  const REFUSAL = { code: 'unavailable', params: { retryAfterSeconds: 2 } };

  test('says in calls and events when to try again, and logs it', async () => {
    const socket = await t.connect(team.ana.token);
    await database.db.transaction(async (tx) => {
      // This transaction itself waits for anybody who still writes there.
      await tx.execute(sql`set local lock_timeout = 0`);
      await tx.execute(sql`lock table channels, user_sockets`);
      const headers = { 'x-access-token': team.admin.token };
      const reply = await t.app.inject({
        method: 'POST',
        url: createChannel.path,
        headers,
        payload: { channelName: 'New' },
      });
      expect([reply.statusCode, reply.headers['retry-after'], reply.json()]).toMatchObject([503, '2', REFUSAL]);
      expect(await socket.send('join_room', { room: 'Nord' })).toEqual({ ok: false, ...REFUSAL });
    });
    expect(t.logLines.some(({ msg }) => msg === 'database_busy')).toBe(true);
    expect((await t.call(getAllChannels, {}, team.admin.token)).body.res).toHaveLength(2);
    expect(await socket.send('join_room', { room: 'Nord' })).toMatchObject({ ok: true });
  });
});
