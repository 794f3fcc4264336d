import type { CallId } from '@pressel/contract/calls';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { calls } from '#src/db/schema/calls.ts';
import type { LoggedAct } from '#src/history/change.ts';
import { createRateLimit } from '#src/limits/rate-limit.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';
import type { ActiveCall } from './active-calls.ts';
import { createCallsUpkeep } from './call-history.ts';
import { createCallsService } from './calls.service.ts';

let t: TestApp;
let team: Team;
let [time, steady] = [0, 0];
beforeEach(async () => {
  [time, steady] = [Date.now(), 0];
  t = await buildTestApp({ now: () => new Date(time), steadyNow: () => steady });
  team = await makeTeam(t);
});
afterEach(() => t.close());

/** The calls of a process that looks after those of the others. */
const anotherProcess = (now: () => Date, acts: LoggedAct[] = []) =>
  createCallsService({
    db: t.database.db,
    sockets: { to: () => ({ emit: () => undefined }) as never, find: () => null } as never,
    limit: () => createRateLimit({ attempts: 1, seconds: 1 }),
    record: async (_tx, more) => void acts.push(...more),
    now,
    steadyNow: () => 0,
    log: t.app.log,
    processId: uuidV7(),
    shared: null,
  });

test('[RING12] a call whose end nobody stored is ended, and what is old is deleted', async () => {
  const row = {
    callerId: team.ana.id,
    callerName: 'Ana',
    calleeId: team.bo.id,
    calleeName: 'Bo',
    callerSocket: 'gone',
    acceptedAt: null,
  };
  const [ana] = [await t.connect(team.ana.token), await t.connect(team.bo.token)];
  await caughtUp(ana);
  const started = await ana.send('call_start', { userId: team.bo.id });
  if (!started.ok) throw new Error(started.code);
  const { callId } = started.data;
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const [left, old] = [uuidV7(), uuidV7()];
  await t.database.db.insert(calls).values([
    { ...row, id: left, createdAt: ago(0) },
    { ...row, id: old, createdAt: ago(91), endedAt: ago(91), reason: 'no_answer' },
  ]);
  const service = anotherProcess(() => new Date(time + 120_000));
  await service.sweep();
  const rows = await t.database.db.select().from(calls);
  const byId = new Map(rows.map((one) => [one.id, one]));
  expect(byId.has(old)).toBe(false);
  expect(byId.get(left)).toMatchObject({ reason: 'lost', isMissed: true });
  expect(byId.get(callId), 'of a live socket').toMatchObject({ reason: null });
  await ana.send('call_end', { callId });
});

test('[RING24] a call whose process died has the time until it was last known to go on', async () => {
  const [ana, bo] = [await t.connect(team.ana.token), await t.connect(team.bo.token)];
  await caughtUp(ana, bo);
  const started = await ana.send('call_start', { userId: team.bo.id });
  if (!started.ok) throw new Error(started.code);
  const { callId } = started.data;
  await bo.next('call_ring');
  await bo.send('call_accept', { callId });
  const acceptedAt = time;
  const { db } = t.database;
  const rowOf = async () => (await db.select().from(calls).where(eq(calls.id, callId)))[0];
  for (const minutes of [1, 3]) {
    time = acceptedAt + minutes * 60_000;
    steady += 10_000;
    const seenAt = new Date(time).toISOString();
    await waitUntil(async () => (await rowOf())?.live?.['seenAt' as never] === seenAt);
  }
  // The process is killed, and nobody starts it again for an hour.
  await db.update(calls).set({ serverId: uuidV7() });
  time += 3_600_000;
  const acts: LoggedAct[] = [];
  const service = anotherProcess(() => new Date(time), acts);
  for (let sweeps = 0; sweeps < 2; sweeps += 1) await service.sweep();
  expect(acts).toMatchObject([{ type: 'call', details: { durationMs: 180_000, end: 'lost' }, at: new Date(time) }]);
  expect(await rowOf()).toMatchObject({ reason: 'lost', endedAt: new Date(acceptedAt + 180_000), isMissed: false });
});

test('[RING24] a call of an earlier version, which stored no such time, has the time until somebody noticed', async () => {
  const [id, at] = [uuidV7(), new Date(time - 600_000)];
  const people = { callerId: team.ana.id, callerName: 'Ana', calleeId: team.bo.id, calleeName: 'Bo' };
  await t.database.db
    .insert(calls)
    .values({ id, ...people, callerSocket: 'gone', serverId: uuidV7(), createdAt: at, acceptedAt: at });
  const acts: LoggedAct[] = [];
  const service = anotherProcess(() => new Date(time), acts);
  for (let sweeps = 0; sweeps < 2; sweeps += 1) await service.sweep();
  expect(acts).toMatchObject([{ type: 'call', details: { durationMs: 600_000, end: 'lost' } }]);
  expect(await t.database.db.select().from(calls)).toMatchObject([{ endedAt: new Date(time) }]);
});

test('[RING22] a call whose end the news didn’t bring is over for the reason that its row names', async () => {
  const [id, at] = [uuidV7() as CallId, new Date(time - 600_000)];
  const people = { callerId: team.ana.id, callerName: 'Ana', calleeId: team.bo.id, calleeName: 'Bo' };
  const end = { endedAt: new Date(time), reason: 'rejected', rejection: 'not_now' } as const;
  const row = { id, ...people, callerSocket: 'gone', serverId: uuidV7(), createdAt: at };
  await t.database.db.insert(calls).values({ ...row, ...end });
  const told: unknown[] = [];
  const upkeep = createCallsUpkeep({
    ...{ db: t.database.db, sockets: null as never, processId: uuidV7(), now: () => new Date(time) },
    ...{ record: async () => undefined, steadyNow: () => 0, tellMissed: async () => undefined },
    ...{ forget: () => undefined, tellOver: () => undefined, learn: async () => null },
    live: { get: () => null, all: () => [{ id, ringsUntil: -1 } as ActiveCall] },
    tellEnd: async (call, ...how) => void told.push([call.id, ...how]),
  });
  await upkeep.sweep();
  expect(told).toEqual([[id, 'rejected', 'not_now']]);
});
