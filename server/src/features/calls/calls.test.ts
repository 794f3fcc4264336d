import { randomUUID } from 'node:crypto';
import { type CallId, getMissedCalls, markCallsSeen } from '@pressel/contract/calls';
import { getUserCallEvents } from '@pressel/contract/legacy';
import { CALL_RING_MS, CALLS_PER_WINDOW, CALLS_TO_ONE } from '@pressel/contract/limits';
import { deleteUser } from '@pressel/contract/users';
import { asc, inArray } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { callEvents, calls } from '#src/db/schema/calls.ts';
import { PROCESSES } from '#test/alone.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';

let t: TestApp;
let team: Team;
let steady: number;
beforeEach(async () => {
  steady = 0;
  t = await buildTestApp({ steadyNow: () => steady });
  team = await makeTeam(t);
});
afterEach(() => t.close());

const connect = async (person: Person): Promise<TestSocket> => {
  const socket = await t.connect(person.token);
  await caughtUp(socket);
  return socket;
};

/** @throws Error when refused */
async function start(socket: TestSocket, callee: Pick<Person, 'id'>) {
  const ack = await socket.send('call_start', { userId: callee.id });
  if (!ack.ok) throw new Error(ack.code);
  return ack.data;
}

/** Ana calls Bo, who takes the call. */
async function inCall() {
  const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
  const { callId } = await start(ana, team.bo);
  expect(await bo.send('call_accept', { callId })).toEqual({ ok: true, data: {} });
  await ana.next('call_accepted');
  return { ana, bo, callId };
}

/** Waits until a device was told of so many missed calls. */
const missedAt = (socket: TestSocket, missed: number) => socket.next('missed_calls', ({ count }) => count === missed);
const missedOf = async ({ token }: Person) => (await t.call(getMissedCalls, {}, token)).body;
const log = async () => {
  const rows = await t.database.db
    .select()
    .from(activities)
    .where(inArray(activities.type, ['call', 'call_missed']))
    .orderBy(asc(activities.createdAt), asc(activities.id));
  return rows.map(({ type, userFirstName, targetName, details }) => [type, userFirstName, targetName, details]);
};
const stored = async () => {
  const rows = await t.database.db.select().from(calls).orderBy(asc(calls.createdAt));
  return rows.map(({ reason, rejection, isMissed }) => ({ reason, rejection, isMissed }));
};
const NOT_FOUND = { ok: false, code: 'not_found' };

describe('who may call whom', () => {
  test('[RING1] those who share a channel, and administrators', async () => {
    const sockets = { ana: await connect(team.ana), out: await connect(team.out), admin: await connect(team.admin) };
    const outcome = async (from: TestSocket, to: Person) => {
      const ack = await from.send('call_start', { userId: to.id });
      if (ack.ok) await from.send('call_end', { callId: ack.data.callId });
      return ack.ok ? 'rings' : ack.code;
    };
    await connect(team.bo);
    expect(await outcome(sockets.ana, team.bo)).toBe('rings');
    expect(await outcome(sockets.admin, team.out)).toBe('rings');
    expect(await outcome(sockets.out, team.admin)).toBe('rings');
    // The answer doesn't tell whether the user exists either.
    expect(await outcome(sockets.ana, team.out)).toBe('not_found');
    expect(await outcome(sockets.ana, { ...team.out, id: randomUUID() as Person['id'] })).toBe('not_found');
    expect(await outcome(sockets.ana, team.ana)).toBe('not_found');
  });

  test('[RING1] so many in a while', async () => {
    const ana = await connect(team.ana);
    const nobody = { userId: randomUUID() as Person['id'] };
    for (let made = 0; made < CALLS_PER_WINDOW; made += 1) {
      expect(await ana.send('call_start', nobody)).toMatchObject(NOT_FOUND);
    }
    expect(await ana.send('call_start', { userId: team.bo.id })).toMatchObject({ ok: false, code: 'too_many' });
  });

  test('[RING1] fewer to one and the same person, until they take one', async () => {
    const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
    const ring = async () => {
      const { callId } = await start(ana, team.bo);
      await bo.next('call_ring', (call) => call.callId === callId);
      return callId;
    };
    for (let made = 1; made < CALLS_TO_ONE; made += 1) await ana.send('call_end', { callId: await ring() });
    const callId = await ring();
    expect(await bo.send('call_accept', { callId })).toMatchObject({ ok: true });
    await ana.send('call_end', { callId });
    for (let made = 0; made < CALLS_TO_ONE; made += 1) await ana.send('call_end', { callId: await ring() });
    expect(await ana.send('call_start', { userId: team.bo.id })).toMatchObject({ ok: false, code: 'too_many' });
    expect(await start(ana, team.admin), 'others can still be called').toMatchObject({ over: 'offline' });
  });

  test('[RING4] nobody is in two calls: who is called is busy, who calls is told', async () => {
    const { bo } = await inCall();
    const admin = await connect(team.admin);
    expect(await start(admin, team.bo)).toMatchObject({ over: 'busy' });
    await missedAt(bo, 1);
    expect(await bo.send('call_start', { userId: team.admin.id })).toMatchObject({ ok: false, code: 'in_a_call' });
    expect((await stored()).at(-1)).toEqual({ reason: 'busy', rejection: null, isMissed: true });
  });

  test('[RING4] of two who call each other at once one call rings', async () => {
    const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
    const acks = await Promise.all([
      ana.send('call_start', { userId: team.bo.id }),
      bo.send('call_start', { userId: team.ana.id }),
    ]);
    expect(acks.filter((ack) => ack.ok && ack.data.over === null)).toHaveLength(1);
  });

  test('[RING2] somebody who is not connected missed the call', async () => {
    expect(await start(await connect(team.ana), team.bo)).toMatchObject({ name: 'Bo Test', over: 'offline' });
    expect(await missedOf(team.bo)).toMatchObject({
      count: 1,
      res: [{ caller: { id: team.ana.id, display_name: 'Ana Test' } }],
    });
  });
});

describe('a call', () => {
  test('[RING5] rings at all devices, and is taken by the first', async () => {
    const [ana, desk, phone] = [await connect(team.ana), await connect(team.bo), await connect(team.bo)];
    const startedAt = performance.now();
    const { callId, name } = await start(ana, team.bo);
    expect(name).toBe('Bo Test');
    const ring = { callId, caller: { id: team.ana.id, display_name: 'Ana Test' }, canWrite: true, ringMs: 30_000 };
    expect(await desk.next('call_ring')).toEqual(ring);
    expect(await phone.next('call_ring')).toEqual(ring);
    const late = await t.connect(team.bo.token);
    const { ringMs, ...rest } = await late.next('call_ring');
    expect({ ...rest, ringMs: 30_000 }).toEqual(ring);
    // Another process counts from when the call was stored, and this one by the clock that stands still.
    expect(ringMs).toBeLessThanOrEqual(30_000);
    expect(ringMs).toBeGreaterThanOrEqual(30_000 - (PROCESSES === 1 ? 0 : Math.ceil(performance.now() - startedAt)));

    expect(await phone.send('call_accept', { callId })).toEqual({ ok: true, data: {} });
    expect(await ana.next('call_accepted')).toEqual({ callId });
    for (const other of [desk, late]) {
      expect(await other.next('call_over')).toEqual({ callId, reason: 'elsewhere', rejection: null });
      expect(await other.send('call_accept', { callId })).toMatchObject(NOT_FOUND);
      expect(await other.send('call_end', { callId })).toEqual({ ok: true, data: {} });
    }
    expect(await stored(), 'it goes on').toEqual([{ reason: null, rejection: null, isMissed: false }]);
  });

  test('[RING5] it rings nowhere any more when it ends while it is taken', async () => {
    const [ana, desk, phone] = [await connect(team.ana), await connect(team.bo), await connect(team.bo)];
    const { callId } = await start(ana, team.bo);
    await desk.next('call_ring');
    // Its storing waits for this lock: what happens meanwhile comes in between.
    const taken = await t.database.db.transaction(async (tx) => {
      await tx.select().from(calls).for('update');
      const answer = phone.send('call_accept', { callId });
      await caughtUp(phone);
      const end = ana.send('call_end', { callId });
      await caughtUp(ana);
      return { answer, end };
    });
    const { ok: isTaken } = await taken.answer;
    await taken.end;
    const ends = [(await desk.next('call_over')).reason, (await phone.next('call_over')).reason];
    if (PROCESSES === 1) expect([isTaken, ...ends]).toEqual([false, 'elsewhere', 'hung_up']);
    // With several processes, the row decides which of the two was first [PROC36].
    else if (isTaken) expect(ends).toEqual(['elsewhere', 'hung_up']);
    else
      expect([
        ['elsewhere', 'hung_up'],
        ['cancelled', 'cancelled'],
      ]).toContainEqual(ends);
  });

  test('[RING7] signals pass between the two sockets alone, and ICE servers are theirs', async () => {
    const { ana, bo, callId } = await inCall();
    const signal = { type: 'offer' as const, sdp: 'v=0' };
    expect(await ana.send('call_signal', { callId, link: 'l', signal })).toEqual({ ok: true, data: {} });
    expect(await bo.next('call_signal')).toEqual({ callId, link: 'l', signal });
    const shown = { type: 'video' as const, shows: 'screen' as const };
    expect(await bo.send('call_signal', { callId, signal: shown })).toEqual({ ok: true, data: {} });
    expect(await ana.next('call_signal'), 'what one shows [RING16]').toEqual({ callId, signal: shown });
    expect(await bo.send('ice_config', {})).toMatchObject({ ok: true });
    const admin = await connect(team.admin);
    expect(await admin.send('call_signal', { callId, signal })).toMatchObject(NOT_FOUND);
    const otherTab = await connect(team.ana);
    expect(await otherTab.send('call_signal', { callId, signal })).toMatchObject(NOT_FOUND);
    await ana.send('call_end', { callId });
    await bo.next('call_over');
    expect(await ana.send('call_signal', { callId, signal })).toMatchObject(NOT_FOUND);
    expect(await bo.send('ice_config', {})).toMatchObject({ ok: false, code: 'not_in_room' });
  });

  test('[LINK11] the other one gets so many offers and no more', async () => {
    const { ana, bo, callId } = await inCall();
    const signal = { type: 'offer' as const, sdp: 'v=0' };
    const answers = await Promise.all(Array.from({ length: 22 }, () => ana.send('call_signal', { callId, signal })));
    await caughtUp(bo);
    expect(bo.waiting('call_signal')).toHaveLength(20);
    // Signals to another process are sent, and dropped there [PROC36].
    if (PROCESSES === 1) {
      expect(answers.filter(({ ok }) => ok)).toHaveLength(20);
      expect(answers.at(-1)).toMatchObject({ ok: false, code: 'too_many' });
    }
    const candidate = { type: 'candidate' as const, candidate: null };
    expect(await ana.send('call_signal', { callId, signal: candidate })).toEqual({ ok: true, data: {} });
    expect(await bo.send('call_signal', { callId, signal })).toEqual({ ok: true, data: {} });
  });

  test('[LINK13] the other one gets so many candidates and no more', async () => {
    const { ana, bo, callId } = await inCall();
    const signal = { type: 'candidate' as const, candidate: null };
    const send = async (count: number) => {
      const sent = await Promise.all(Array.from({ length: count }, () => ana.send('call_signal', { callId, signal })));
      // The receiver's process has counted them by then.
      await caughtUp(bo);
      return sent;
    };
    // Sends as many as a socket's allowance lets through.
    const acks = await send(590);
    for (let second = 1; second <= 14; second += 1) {
      steady += 1_000;
      acks.push(...(await send(150)));
    }
    expect(bo.waiting('call_signal')).toHaveLength(1_200 + 100 * 14);
    if (PROCESSES === 1) {
      expect(acks.filter(({ ok }) => ok)).toHaveLength(1_200 + 100 * 14);
      expect(acks.at(-1)).toMatchObject({ ok: false, code: 'too_many', params: { retryAfterSeconds: 1 } });
    }
    expect(await bo.send('call_signal', { callId, signal })).toEqual({ ok: true, data: {} });
  });

  test('[RING7] no signal passes while it rings', async () => {
    const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
    const { callId } = await start(ana, team.bo);
    const signal = { type: 'candidate' as const, candidate: null };
    expect(await ana.send('call_signal', { callId, signal })).toMatchObject(NOT_FOUND);
    expect(await bo.send('call_signal', { callId, signal })).toMatchObject(NOT_FOUND);
  });

  test('[RING6] is hung up by either, and is in the log with how long it was', async () => {
    const { ana, bo, callId } = await inCall();
    expect(await ana.send('call_end', { callId })).toEqual({ ok: true, data: {} });
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'hung_up', rejection: null });
    expect(await log()).toEqual([
      ['call', 'Ana', 'Bo Test', { durationMs: expect.any(Number) as number, end: 'hung_up' }],
    ]);
    expect((await missedOf(team.bo)).count).toBe(0);
  });

  test('[RING6] is rejected with a reason, which is no missed call', async () => {
    const [ana, bo, phone] = [await connect(team.ana), await connect(team.bo), await connect(team.bo)];
    const { callId } = await start(ana, team.bo);
    expect(await bo.send('call_reject', { callId, rejection: 'call_back' })).toEqual({ ok: true, data: {} });
    const over = { callId, reason: 'rejected', rejection: 'call_back' };
    expect(await ana.next('call_over')).toEqual(over);
    expect(await phone.next('call_over')).toEqual(over);
    expect(await stored()).toEqual([{ reason: 'rejected', rejection: 'call_back', isMissed: false }]);
    expect((await missedOf(team.bo)).count).toBe(0);
    expect(await bo.send('call_reject', { callId })).toMatchObject(NOT_FOUND);
  });

  test('[RING6] that nobody takes ends after its time, and was missed', async () => {
    const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
    const { callId } = await start(ana, team.bo);
    steady += CALL_RING_MS;
    const over = { callId, reason: 'no_answer', rejection: null };
    expect(await ana.next('call_over')).toEqual(over);
    expect(await bo.next('call_over')).toEqual(over);
    await missedAt(bo, 1);
    expect(await log()).toEqual([['call_missed', 'Ana', 'Bo Test', { end: 'no_answer' }]]);
    expect(await bo.send('call_accept', { callId })).toMatchObject(NOT_FOUND);
  });

  test('[RING6] that its caller gives up was missed', async () => {
    const [ana, bo] = [await connect(team.ana), await connect(team.bo)];
    const { callId } = await start(ana, team.bo);
    await ana.send('call_end', { callId });
    expect(await bo.next('call_over')).toMatchObject({ reason: 'cancelled' });
    await missedAt(bo, 1);
  });

  test.each(['ana', 'bo'] as const)('[RING8] ends when the page of %s says goodbye', async (who) => {
    const { ana, bo, callId } = await inCall();
    const [gone, left] = who === 'ana' ? [ana, bo] : [bo, ana];
    gone.close();
    expect(await left.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
    expect(await stored()).toEqual([{ reason: 'lost', rejection: null, isMissed: false }]);
  });

  test('[RING8] ends when a device says by its next link that it lost the other one, and it may call again', async () => {
    const { ana, bo, callId } = await inCall();
    const stranger = await connect(team.admin);
    await stranger.send('call_end', { callId, isLost: true });
    const next = await connect(team.ana);
    await next.send('call_end', { callId });
    expect(bo.waiting('call_over')).toEqual([]);
    await next.send('call_end', { callId, isLost: true });
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
    expect(await start(next, team.bo)).toMatchObject({ over: null });
    ana.close();
    await caughtUp(next);
    expect(bo.waiting('call_over'), 'the new call goes on').toEqual([]);
  });

  test('[RING8] that rings ends with the caller’s socket, not with one of the callee’s', async () => {
    const [ana, bo, phone] = [await connect(team.ana), await connect(team.bo), await connect(team.bo)];
    const { callId } = await start(ana, team.bo);
    phone.close();
    await caughtUp(bo);
    ana.close();
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
    await missedAt(bo, 1);
  });

  test('[RING8] ends with an account that is deleted, and stays readable', async () => {
    const { bo } = await inCall();
    await t.call(deleteUser, { UserId: team.ana.id }, team.admin.token);
    expect(await bo.next('call_over')).toMatchObject({ reason: 'lost' });
    const { body } = await t.call(getUserCallEvents, { userId: team.bo.id }, team.bo.token);
    expect(body.res[0]).toMatchObject({ type: 'end', caller: { id: null, display_name: 'Ana Test' } });
  });

  test('[RING8] that rings ends with the account that is called, too', async () => {
    const [ana] = [await connect(team.ana), await connect(team.bo)];
    const { callId } = await start(ana, team.bo);
    await t.call(deleteUser, { UserId: team.bo.id }, team.admin.token);
    expect(await ana.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
    expect(await start(ana, team.admin), 'and its caller is free').toMatchObject({ over: 'offline' });
  });

  test('[RING3] every change has its event, and each is there once whatever comes at once', async () => {
    const { ana, bo, callId } = await inCall();
    await Promise.all([ana.send('call_end', { callId }), bo.send('call_end', { callId })]);
    bo.close();
    await ana.next('call_over');
    const rows = await t.database.db.select().from(callEvents).orderBy(asc(callEvents.createdAt), asc(callEvents.id));
    expect(rows.map(({ type }) => type)).toEqual(['ring', 'accept', 'end']);
    expect(await log()).toHaveLength(1);
  });
});

test('[RING9] missed calls are seen up to the one that was shown, on all devices', async () => {
  const [ana, bo, phone] = [await connect(team.ana), await connect(team.bo), await connect(team.bo)];
  const ids: CallId[] = [];
  for (let round = 0; round < 2; round += 1) {
    const { callId } = await start(ana, team.bo);
    await ana.send('call_end', { callId });
    await missedAt(bo, round + 1);
    ids.push(callId);
  }
  const { res } = await missedOf(team.bo);
  expect(res.map(({ id }) => id)).toEqual(ids.toReversed());
  const seen = await t.call(markCallsSeen, { callId: ids[0] }, team.bo.token);
  expect(seen.body).toEqual({ success: true });
  await missedAt(phone, 1);
  await t.call(markCallsSeen, { callId: ids[1] }, team.ana.token);
  expect((await missedOf(team.bo)).count, 'somebody else’s stay').toBe(1);
  await t.call(markCallsSeen, {}, team.bo.token);
  expect(await missedOf(team.bo)).toEqual({ success: true, count: 0, res: [] });
});

test('[RING9] a device that comes later is told, too', async () => {
  await start(await connect(team.ana), team.bo);
  await missedAt(await t.connect(team.bo.token), 1);
});

test('[RING8] the server’s stop ends a call that rings, and stores it; one that was taken waits for the next start', async () => {
  const { ana } = await inCall();
  const [admin] = [await connect(team.admin), await connect(team.out)];
  await start(admin, team.out);
  const closed = t.stop();
  await ana.disconnected;
  await closed;
  await waitUntil(async () => (await stored())[1]?.reason === 'lost');
  expect((await stored())[0]).toMatchObject({ reason: null });
});
