import type { FloorNews } from '@pressel/contract/voice';
import { asc, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { SERVING_LOCK } from '#src/db/locks.ts';
import { lockProcesses, type ProcessesLock } from '#src/db/processes-lock.ts';
import { activities } from '#src/db/schema/activities.ts';
import { floors } from '#src/db/schema/floors.ts';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { hasRedis } from '#test/cluster.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { joinResumable, type Resumable } from '#test/resuming.ts';
import { openTestDatabase } from '#test/test-database.ts';

/** Long enough for the slowest machine: nobody new gets the floor in a test. */
const RECOVERY_MS = 600_000;
const OUTAGE_MS = 120_000;

describe.skipIf(!hasRedis)('[PROC101] the first of several processes', () => {
  let database: Database;
  let locks: ProcessesLock[];
  let apps: TestApp[];
  let before: ProcessesLock;
  let team: Team;
  /** Ana, who talked when the process from before ended, and the floor that she had. */
  let ana: Resumable;
  let evidence: FloorNews;
  beforeEach(async () => {
    [locks, apps] = [[], []];
    database = await openTestDatabase();
    before = await lock();
    const app = await start(before, 0);
    team = await makeTeam(app);
    ana = await joinResumable(await app.connect(team.ana.token), team.nord);
    await ana.send('floor_request', { channelId: team.nord, seq: 1 });
    evidence = await ana.next('floor_changed');
    await app.stop();
    // That process began long ago.
    await database.db.execute(sql`update floor_epochs set opened_at = opened_at - ${2 * RECOVERY_MS}`);
  });
  afterEach(async () => {
    for (const app of apps) await app.close();
    for (const one of locks) await one.release();
    await database.close();
  });

  const lock = async (): Promise<ProcessesLock> => {
    const { connection } = database;
    const taken = await lockProcesses({
      connection,
      isShared: true,
      waits: { beginMs: RECOVERY_MS },
      onTrouble: () => undefined,
      onLost: () => undefined,
    });
    locks.push(taken);
    return taken;
  };
  const start = async (
    { isFirst, serve }: ProcessesLock,
    floorRecoveryMs = RECOVERY_MS,
    beforeListening: () => Promise<void> | void = () => undefined,
  ): Promise<TestApp> => {
    const as = { ...database, isFirst, serve };
    const config = { redisUrl: String(inject('redis')) };
    const app = await buildTestApp({ ...{ config, floorRecoveryMs, beforeListening }, database: as });
    apps.push(app);
    return app;
  };
  const openedAt = async () =>
    (await database.db.execute<{ opened_at: string }>(sql`select opened_at from floor_epochs`)).rows[0]?.opened_at;
  /** Bo presses first, then Ana comes back. */
  const expectAnaGoesOn = async (app: TestApp) => {
    const bo = await enterRoom(app, team.bo, 'Nord');
    const answered = vi.fn();
    void bo.send('floor_request', { seq: 1 }).then(answered, () => undefined);
    await caughtUp(bo);
    const back = await joinResumable(await app.connect(team.ana.token), team.nord, ana.token, {
      ...{ floor: evidence, claim: 1 },
    });
    expect(back.state).toMatchObject({ self: { id: ana.id }, floor: { talkers: [{ id: ana.id }] } });
    expect(answered).not.toHaveBeenCalled();
  };

  test('[TALK152] is the one that listens first: one that started before it gives up no floor, and begins no time', async () => {
    await before.release();
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [early, late] = [await lock(), await lock()];
    expect([early.isFirst, late.isFirst]).toEqual([true, false]);
    const starting = start(early, RECOVERY_MS, () => {
      reached.resolve();
      return held.promise;
    });
    await reached.promise;
    await expectAnaGoesOn(await start(late));
    const since = await openedAt();
    held.resolve();
    await starting;
    expect(await openedAt()).toBe(since);
  });

  test('[PROC69] is also one that started while PostgreSQL still held a process that had ended', async () => {
    const next = await lock();
    expect(next.isFirst).toBe(false);
    await before.release();
    await expectAnaGoesOn(await start(next));
  });

  test('[PROC69] after a long outage logs a talk that was under way, and then that its talker left', async () => {
    await before.release();
    const [row] = await database.db.select().from(floors);
    const state = JSON.parse(row?.state ?? '');
    const earlier = ({ since, leaseUntil, talkUntil, ...talker }: Record<string, number>) => ({
      ...talker,
      since: Number(since) - OUTAGE_MS,
      leaseUntil: Number(leaseUntil) - OUTAGE_MS,
      talkUntil: Number(talkUntil) - OUTAGE_MS,
    });
    const [talker] = state.talkers.map(earlier);
    await database.db.update(floors).set({ state: JSON.stringify({ ...state, talkers: [talker] }) });
    // The process renewed its own lease last before it heard the talk's last renewal.
    const [seenAt, joinedAt] = [talker.since - 1_000, talker.since - 2_000].map((ms) => new Date(ms));
    await database.db.update(servers).set({ seenAt });
    await database.db.update(userSockets).set({ joinedAt });
    await start(await lock());
    const logged = await database.db.select().from(activities).orderBy(asc(activities.createdAt), asc(activities.id));
    const ofTalk = logged.filter(({ type }) => ['channel_talk', 'connexion_lost'].includes(type));
    expect(ofTalk.map(({ type, createdAt }) => [type, createdAt.getTime() >= talker.since])).toEqual([
      ['channel_talk', true],
      ['connexion_lost', true],
    ]);
  });

  test('[PROC105] is not one that was stopped while it began, until another one served: it ends, and that one keeps its floors', async () => {
    await before.release();
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [early, late] = [await lock(), await lock()];
    const starting = start({
      ...early,
      serve: (begin) =>
        early.serve(async (isFirst) => {
          reached.resolve();
          await held.promise;
          expect(isFirst).toBe(true);
          await begin(isFirst);
        }),
    });
    await reached.promise;
    // So PostgreSQL ends the connection of a process that is stopped for too long.
    await database.db.execute(
      sql`select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.objid = ${SERVING_LOCK} and d.datname = current_database()`,
    );
    const app = await start(late);
    await expectAnaGoesOn(app);
    const since = await openedAt();
    const ended = expect(starting).rejects.toThrow('Another process serves by now');
    held.resolve();
    await ended;
    expect(await openedAt()).toBe(since);
    const { rows } = await database.db.execute<{ state: string }>(sql`select state from floors`);
    expect(rows.flatMap(({ state }) => JSON.parse(state).talkers)).toMatchObject([{ id: ana.id }]);
  });

  test('is none while another one serves', async () => {
    const since = await openedAt();
    await start(await lock());
    expect(await openedAt()).toBe(since);
  });
});
