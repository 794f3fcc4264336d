import { afterEach, beforeEach, expect, test } from 'vitest';
import { calls } from '#src/db/schema/calls.ts';
import { createRateLimit } from '#src/limits/rate-limit.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { createCallsService } from './calls.service.ts';

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

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
  const service = createCallsService({
    db: t.database.db,
    sockets: { to: () => ({ emit: () => undefined }) as never, find: () => null } as never,
    limit: () => createRateLimit({ attempts: 1, seconds: 1 }),
    record: async () => undefined,
    now: () => new Date(Date.now() + 120_000),
    steadyNow: () => 0,
    log: t.app.log,
    processId: uuidV7(),
    shared: null,
  });
  await service.sweep();
  const rows = await t.database.db.select().from(calls);
  const byId = new Map(rows.map((one) => [one.id, one]));
  expect(byId.has(old)).toBe(false);
  expect(byId.get(left)).toMatchObject({ reason: 'lost', isMissed: true });
  expect(byId.get(callId), 'of a live socket').toMatchObject({ reason: null });
  await ana.send('call_end', { callId });
});
