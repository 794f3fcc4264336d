import { logOut } from '@pressel/contract/auth';
import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { SESSION_MS } from '@pressel/contract/limits';
import { desc, eq, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createParticipants, type LiveParticipant, newParticipant } from '#src/sockets/sockets.ts';
import { PROCESSES } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, join, makeTeam, type Team } from '#test/factories.ts';
import { connectSocket } from '#test/socket-client.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';
import { createMoves } from './moves.ts';
import { createPresenceStore } from './presence.store.ts';
import { createPresenceRepair } from './upkeep.ts';

/** An advisory lock of these tests alone. */
const HANG_LOCK = 77;

describe('what becomes of sockets whose end nobody saw', () => {
  let t: TestApp;
  let team: Team;
  let time: Date;
  beforeEach(async () => {
    time = new Date('2026-03-01T08:00:00Z');
    t = await buildTestApp({ now: () => time, presenceRepairMs: 50 });
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    expect(t.logLines.filter(({ level }) => Number(level) >= 60)).toEqual([]);
  });

  const rows = () => t.database.db.select().from(userSockets);
  const rowOf = async (socketId: string) => (await rows()).find((row) => row.socketId === socketId);
  /** The lease of the process that was seen last, which is ours. */
  const lease = async () => (await t.database.db.select().from(servers).orderBy(desc(servers.seenAt)).limit(1))[0];

  /** Makes another process, with Ana in Nord, last seen so long ago. */
  async function otherServer(secondsAgo: number, sessionId = uuidV7()): Promise<string> {
    const id = uuidV7();
    const socket = { socketId: `of ${id}`, userId: team.ana.id, sessionId, serverId: id };
    await t.database.db.transaction(async (tx) => {
      await tx.insert(servers).values({ id, seenAt: sql`now() - ${secondsAgo} * interval '1 second'` });
      await tx.insert(userSockets).values({ ...socket, channelId: team.nord, joinedAt: time });
    });
    return id;
  }

  /** Holds up inserts of sockets' rows. @returns lets them go on */
  async function hangRepairs(): Promise<() => Promise<void>> {
    const { db } = t.database;
    await db.execute(sql`create function hang() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${sql.raw(String(HANG_LOCK))}); return new; end $$`);
    await db.execute(sql`create trigger hang before insert on user_sockets for each row execute function hang()`);
    const holding = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holder = db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${HANG_LOCK})`);
      holding.resolve();
      await released.promise;
    });
    await holding.promise;
    // Makes the database usable again.
    onTestFinished(async () => {
      released.resolve();
      await holder;
      await db.execute(sql`drop function hang cascade`);
    });
    return async () => {
      released.resolve();
      await holder;
    };
  }

  async function hangingRepairs(): Promise<number> {
    const { rows: found } = await t.database.db.execute(
      sql`select 1 from pg_locks where locktype = 'advisory' and objid = ${HANG_LOCK} and not granted`,
    );
    return found.length;
  }

  /** Makes changes of sockets' rows fail, as when the database goes away. @returns waits for a leave that fails, then ends it */
  async function failOneLeave(): Promise<() => Promise<void>> {
    const { db } = t.database;
    const comeBack = async () => void (await db.execute(sql`drop function if exists be_away cascade`));
    // Makes the database usable again.
    onTestFinished(comeBack);
    await db.execute(sql`create function be_away() returns trigger language plpgsql as
      $$ begin raise exception 'away' using errcode = '57P01'; end $$`);
    await db.execute(sql`create trigger away before update or delete on user_sockets
      for each row execute function be_away()`);
    return async () => {
      await waitUntil(() => t.logLines.some(({ msg }) => msg === 'leave_not_stored'));
      await comeBack();
    };
  }

  test('[PRES10] a process that lives says so in one row, and keeps its sockets', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const first = await lease();
    await waitUntil(async () => Number((await lease())?.seenAt) > Number(first?.seenAt));
    const living = await t.database.db.select().from(servers);
    expect(living).toHaveLength(PROCESSES);
    expect(living.map(({ id }) => id)).toContain((await rowOf(ana.id))?.serverId);
  });

  test('[PROC30] a repair that hangs keeps the process from nothing: its lease is renewed meanwhile', async () => {
    await enterRoom(t, team.ana, 'Nord');
    const letGo = await hangRepairs();
    await t.database.db.delete(userSockets);
    await waitUntil(async () => (await hangingRepairs()) === 1);
    for (let renewal = 0; renewal < 3; renewal += 1) {
      const last = Number((await lease())?.seenAt);
      await waitUntil(async () => Number((await lease())?.seenAt) > last);
    }
    expect(await hangingRepairs()).toBe(1);
    await letGo();
    await waitUntil(async () => (await rows()).length === 1);
  });

  test('[PRES10] sockets of a process that died go with it, and their people are told of', async () => {
    const admin = await t.connect(team.admin.token);
    const bo = await enterRoom(t, team.bo, 'Nord');
    const id = await otherServer(60);
    await bo.next('user_exit', (one) => one.id === `of ${id}`);
    const gone = await admin.next('onUserStatusChanged', ({ users }) =>
      users.some(({ userId, connected }) => userId === team.ana.id && !connected),
    );
    expect(gone.rooms).toContainEqual({ channelId: team.nord, connected: 1 });
    expect((await rows()).map(({ serverId }) => serverId)).not.toContain(id);
    expect(await activityLog(t)).toContain('connexion_lost Ana Nord');
  });

  test('[PRES10] sockets of a process that lives are left alone, by one that starts too', async () => {
    const id = await otherServer(5);
    const successor = await buildTestApp({ now: () => time, database: t.database, presenceRepairMs: 50 });
    await enterRoom(successor, team.bo, 'Nord');
    const seenAt = async () => Number((await lease())?.seenAt);
    for (let beat = 0; beat < 3; beat += 1) {
      const last = await seenAt();
      await waitUntil(async () => (await seenAt()) > last);
    }
    expect(await rowOf(`of ${id}`)).toMatchObject({ channelId: team.nord });
    await successor.close();
    expect(await rowOf(`of ${id}`)).toMatchObject({ channelId: team.nord });
  });

  test('[PRES11] the database fails while somebody leaves: they are out of the room, and no ghost stays', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    const comeBack = await failOneLeave();
    expect(await ana.send('leave_room', {})).toEqual({ ok: true, data: {} });
    expect(await bo.next('user_exit')).toEqual({ id: ana.id, channelId: team.nord });
    await comeBack();
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: false, code: 'not_in_room' });
    await waitUntil(async () => (await rowOf(ana.id))?.channelId === null);
    expect(await activityLog(t)).toContain('connexion_lost Ana Nord');
    expect((await join(ana, 'Nord')).participants).toHaveLength(1);
  });

  test('[PRES11] the database fails while a link is lost: no ghost stays', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    const comeBack = await failOneLeave();
    ana.raw.io.engine.close();
    expect(await bo.next('user_exit')).toEqual({ id: ana.id, channelId: team.nord });
    await comeBack();
    await waitUntil(async () => (await rowOf(ana.id)) === undefined);
    await waitUntil(async () => (await activityLog(t)).includes('connexion_lost Ana Nord'));
  });

  test('[PRES12] a socket whose row was swept can enter again', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await t.connect(team.bo.token);
    await caughtUp(bo);
    await t.database.db.delete(servers);
    expect((await join(bo, 'Nord')).self.id).toBe(bo.id);
    expect((await join(ana, 'Nord')).self.id).toBe(ana.id);
    await waitUntil(async () => (await rowOf(ana.id))?.channelId === team.nord);
  });

  test('[PRES12] rows that somebody took away are put back by the next beat, with their rooms', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const idle = await t.connect(team.out.token);
    await caughtUp(idle);
    const before = await rowOf(ana.id);
    await t.database.db.delete(servers);
    await waitUntil(async () => (await rows()).length === 2);
    expect(await rowOf(ana.id)).toEqual(before);
    expect(await rowOf(idle.id)).toMatchObject({ channelId: null, userId: team.out.id });
  });

  test('[PRES12] a row that says another room than memory is put right', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    await t.database.db.update(userSockets).set({ channelId: team.sud }).where(eq(userSockets.socketId, ana.id));
    await waitUntil(async () => (await rowOf(ana.id))?.channelId === team.nord);
  });

  test('[PRES13] a row of ours without a socket goes', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const serverId = (await lease())?.id ?? '';
    const stray = { socketId: 'stray', userId: team.ana.id, sessionId: uuidV7(), serverId, channelId: team.nord };
    await t.database.db.insert(userSockets).values(stray);
    expect(await bo.next('user_exit')).toEqual({ id: 'stray', channelId: team.nord });
    expect(await rowOf('stray')).toBeUndefined();
  });

  test('[PRES12] a socket whose account is gone, unseen by this process, is ended, and keeps nothing else from being put right', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await t.database.db.transaction(async (tx) => {
      await tx.delete(users).where(eq(users.id, team.ana.id));
      await tx.delete(userSockets).where(eq(userSockets.socketId, bo.id));
    });
    expect(await ana.disconnected).toBe('io server disconnect');
    expect(await bo.next('user_exit')).toEqual({ id: ana.id, channelId: team.nord });
    await waitUntil(async () => (await rowOf(bo.id))?.channelId === team.nord);
  });

  test('a socket whose session expired is ended', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    time = new Date(time.getTime() + SESSION_MS);
    expect(await ana.disconnected).toBe('io server disconnect');
    await waitUntil(async () => (await rows()).length === 0);
  });

  test('a logout that races with the handshake ends the socket as well', async () => {
    for (let round = 0; round < 10; round += 1) {
      const token = await t.signIn(team.ana);
      const connecting = connectSocket(t.origin, token).then(
        (socket) => socket.disconnected,
        () => 'refused',
      );
      await t.call(logOut, {}, token);
      expect(['refused', 'io server disconnect']).toContain(await connecting);
    }
  });
});

describe('repairs of thousands', () => {
  const SOCKETS = 4_000;

  /** A process whose sockets are all of one user, and whose rows are all missing. */
  async function start(hooks: { repair?: (batch: readonly LiveParticipant[]) => void } = {}) {
    const database = await openTestDatabase();
    const { db } = database;
    onTestFinished(database.close);
    const userId = uuidV7() as UserId;
    const names = { firstName: 'Ana', lastName: '', identifier: 'ana@example.org' };
    await db.insert(users).values({ id: userId, passwordHash: '', role: 'member', ...names });
    const participants = createParticipants();
    const session = { id: uuidV7(), userId, role: 'member', displayName: 'Ana', firstName: 'Ana' } as Session;
    for (let i = 0; i < SOCKETS; i += 1) {
      participants.put({ ...newParticipant(`s${i}` as ParticipantId, session), isTakenIn: true });
    }
    const log = pino({ enabled: false });
    const serverId = uuidV7();
    const stored = createPresenceStore({
      ...{ db, serverId, isShared: false, now: () => new Date(), log },
      record: async () => undefined,
      recordWithin: { insertAll: sql`select`, valuesOfAll: () => ({ acts: '' }) },
    });
    await stored.open();
    const moves = createMoves(() => performance.now());
    const batches: number[] = [];
    const failed: unknown[] = [];
    const store = {
      ...stored,
      async repair(batch: readonly LiveParticipant[]) {
        batches.push(batch.length);
        hooks.repair?.(batch);
        return stored.repair(batch);
      },
    };
    const beat = createPresenceRepair({
      sockets: { participants } as never,
      news: { came: () => undefined, moved: () => undefined } as never,
      tellGone: async () => undefined,
      liveSessions: async (ids) => new Set(ids),
      isLeaving: () => false,
      end: () => undefined,
      release: () => undefined,
      steadyNow: () => performance.now(),
      log: { error: (line: { err: unknown }) => void failed.push(line.err) } as never,
      ...{ store, moves },
    });
    const count = async () => (await db.select({ id: userSockets.socketId }).from(userSockets)).length;
    return { beat, batches, failed, participants, moves, count };
  }

  test('[PROC30] their rows are written together, not one by one', async () => {
    const { beat, batches, count } = await start();
    await beat();
    expect(await count()).toBe(SOCKETS);
    expect(batches).toHaveLength(SOCKETS / 100);
  });

  test('[PROC30] who moves meanwhile is left for the next beat, and who moves after that waits for the repair alone', async () => {
    const { beat, participants, moves, count } = await start();
    const mover = participants.find('s7') as LiveParticipant;
    const arrived = Promise.withResolvers<void>();
    const moving = moves.inTurn(mover, () => arrived.promise);
    await beat();
    expect(await count()).toBe(SOCKETS - 1);
    arrived.resolve();
    await moving;
    await beat();
    expect(await count()).toBe(SOCKETS);
  });

  test('[PROC30] one that cannot be repaired keeps no other from it', async () => {
    const { beat, failed, count } = await start({
      repair(batch) {
        if (batch.some(({ id }) => id === 's7')) throw new Error('not this one');
      },
    });
    await beat();
    expect(await count()).toBe(SOCKETS - 1);
    expect(failed).toEqual([new Error('not this one')]);
  });

  test('[PROC30] a database that is away ends the beat: nobody is tried one by one', async () => {
    const { beat, batches } = await start({
      repair() {
        throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      },
    });
    await expect(beat()).rejects.toThrow('terminating connection');
    expect(batches).toHaveLength(1);
  });
});
