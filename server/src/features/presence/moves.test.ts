import { setImmediate } from 'node:timers/promises';
import { addUserToChannel } from '@pressel/contract/channels';
import { expect, test } from 'vitest';
import type { LiveParticipant } from '#src/sockets/sockets.ts';
import { buildTestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, makeTeam } from '#test/factories.ts';
import { ALL_ROOMS, createMoves } from './moves.ts';

test('[PRES6] twenty moves at once, then two a second, each participant for itself', async () => {
  let now = 0;
  const waits: number[] = [];
  const moves = createMoves(
    () => now,
    async (ms) => {
      waits.push(ms);
      now += ms;
    },
  );
  const [one, other] = [{ id: 'a' } as LiveParticipant, { id: 'b' } as LiveParticipant];
  for (let count = 0; count < 23; count += 1) await moves.wish(one, ALL_ROOMS, async () => undefined);
  await moves.wish(other, ALL_ROOMS, async () => undefined);
  expect(waits).toEqual([500, 500, 500]);
  now += 1_000;
  waits.length = 0;
  for (let count = 0; count < 3; count += 1) await moves.wish(one, ALL_ROOMS, async () => undefined);
  expect(waits).toEqual([500]);
});

test('[PRES7] of those that wait only the last is done, and the end of the socket waits for none of them', async () => {
  const moves = createMoves(
    () => 0,
    (_ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve());
      return promise;
    },
  );
  const socket = { id: 'a' } as LiveParticipant;
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const running = moves.wish(socket, ALL_ROOMS, () => first.promise);
  await setImmediate();
  const waiting = ['one', 'two', 'three'].map((name) =>
    moves.wish(socket, ALL_ROOMS, async () => void done.push(name)),
  );
  const outcomes = Promise.allSettled(waiting);
  expect(moves.isMoving(socket)).toBe(true);
  first.resolve();
  await running;
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  for (let count = 0; count < 18; count += 1) await moves.wish(socket, ALL_ROOMS, async () => undefined);
  // The allowance is used up: this move waits for ever, unless the socket ends.
  const late = Promise.allSettled([moves.wish(socket, ALL_ROOMS, async () => void done.push('late'))]);
  await moves.atLast(socket, async () => void done.push('end'));
  expect(await late).toMatchObject([{ status: 'rejected', reason: { code: 'too_many' } }]);
  expect(done).toEqual(['three', 'end']);
  expect(moves.isMoving(socket)).toBe(false);
});

test('[PRES7] five hundred join_room at once are two entrances, and the last wish is what becomes true', async () => {
  const t = await buildTestApp();
  const team = await makeTeam(t);
  await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
  const ana = await t.connect(team.ana.token);
  await caughtUp(ana);
  const wishes = Array.from({ length: 500 }, (_, index) =>
    ana.send('join_room', { room: index % 2 === 0 ? 'Nord' : 'Sud' }),
  );
  const answers = await Promise.all(wishes);
  expect(answers.at(-1)).toMatchObject({ ok: true, data: { channel: { id: team.sud } } });
  const refused = answers.filter((answer) => !answer.ok);
  for (const answer of refused) expect(answer).toMatchObject({ code: 'too_many' });
  const entered = (await activityLog(t)).filter((line) => line.startsWith('channel_join'));
  expect(entered).toHaveLength(500 - refused.length);
  // The packets arrive in a few turns of the loop, and in each of them only the last one counts.
  expect(entered.length).toBeLessThan(10);
  await t.close();
});

test('[PRES19] a user goes into rooms so often and no more, by however many sockets', async () => {
  let steady = 0;
  const t = await buildTestApp({ steadyNow: () => steady });
  const team = await makeTeam(t);
  const sockets = await Promise.all(Array.from({ length: 10 }, () => t.connect(team.ana.token)));
  const answers = [];
  while (answers.length < 610) {
    answers.push(...(await Promise.all(sockets.map((socket) => socket.send('join_room', { room: 'Nord' })))));
    steady += 500;
  }
  expect(answers.slice(0, 600).every(({ ok }) => ok)).toBe(true);
  expect(answers.slice(600)).toEqual(Array(10).fill(expect.objectContaining({ ok: false, code: 'too_many' })));
  const bo = await t.connect(team.bo.token);
  expect(await bo.send('join_room', { room: 'Nord' })).toMatchObject({ ok: true });
  await t.close();
});
