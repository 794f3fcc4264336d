import { addUserToChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import { withdrawGuestLink } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { alone, PROCESSES } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { makeLink, visit } from '#test/guests.ts';
import { breakLink, joinResumable, type Resumable } from '#test/resuming.ts';
import { connectSocket } from '#test/socket-client.ts';

let t: TestApp;
let team: Team;
/** The clock by which allowances refill; null: real time. */
let stillAt: number | null;
beforeEach(async () => {
  stillAt = null;
  t = await buildTestApp({ resumeMs: 600_000, steadyNow: () => stillAt ?? performance.now() });
  team = await makeTeam(t);
});
afterEach(() => t.close());

const ana = async (channelId: ChannelId = team.nord, resume: string | null = null) =>
  joinResumable(await t.connect(team.ana.token), channelId, resume);

test('[PRES30] [PROC64] a socket that resumes another participant hears nothing more of the rooms of its own', async () => {
  await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
  const south = await ana(team.sud);
  const other = await ana();
  const back = await joinResumable(other, team.sud, south.token);
  expect(back.state.self.id).toBe(south.id);
  await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
  const bo = await enterRoom(t, team.bo, 'Nord');
  await bo.send('floor_request', { seq: 1 });
  await caughtUp(bo, back);
  const heard = (['user joined', 'floor_changed'] as const).flatMap((event) => back.waiting(event));
  expect(heard.filter(({ channelId }) => channelId === team.nord)).toEqual([]);
});

test('[PRES30] a user has as many lost participants as they may have sockets: the first ones leave', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  const first = await ana();
  breakLink(first);
  for (let more = 0; more < 32; more += 1) breakLink(await ana());
  const { id } = await bo.next('user_exit');
  // With several processes, the one that lost the last one gives up its own first one; two may do so at once (PROC68).
  if (PROCESSES === 1) expect(id).toBe(first.id);
  await caughtUp(bo);
  const { participants } = (await enterRoom(t, team.admin, 'Nord')).state;
  expect(participants.length).toBeLessThanOrEqual(1 + 32);
  expect(participants.length).toBeGreaterThan(1 + 32 - PROCESSES);
});

alone('what a participant may send is counted by the process that has it (PROC32)').test(
  '[PRES30] taking over brings no new allowances of the participant',
  async () => {
    stillAt = performance.now();
    let one: Resumable = await ana();
    for (let press = 1; press <= 30; press += 1) await one.send('floor_request', { seq: press });
    one = await ana(team.nord, one.token);
    const answers = await Promise.all([31, 32].map((seq) => one.send('floor_request', { seq })));
    expect(answers.at(-1)).toMatchObject({ ok: false, code: 'too_many' });
  },
);

test('[PRES30] [PROC67] taking over has an allowance of the user’s', async () => {
  stillAt = performance.now();
  const one = await ana();
  let refusal: unknown = null;
  for (let round = 0; round < 70 && refusal === null; round += 1) {
    const next = await t.connect(team.ana.token);
    const answer = await next.send('join_room', { room: 'x', channelId: team.nord, keep: true, resume: one.token });
    if (!answer.ok) refusal = answer;
  }
  expect(refusal).toMatchObject({ code: 'too_many' });
});

test('[PRES6] of many joins of one room that is resumed one takes no move', async () => {
  const one = await ana();
  breakLink(one);
  const next = await t.connect(team.ana.token);
  const payload = { room: 'x', channelId: team.nord, keep: true, resume: one.token };
  const answers = await Promise.all(Array.from({ length: 200 }, () => next.send('join_room', payload)));
  expect(answers.filter(({ ok }) => ok).length).toBeLessThan(10);
});

test('[PRES31] rooms to which nobody came back after a kill are left by who leaves, and told so', async () => {
  const est = await makeChannel(t, team.admin, 'Est', [team.ana.id, team.bo.id]);
  const before = await buildTestApp({ database: t.database });
  const nord = await joinResumable(await before.connect(team.ana.token), team.nord);
  await joinResumable(nord, est, nord.token);
  const bo = await enterRoom(t, team.bo, 'Est');
  expect(bo.state.participants).toMatchObject([{ id: nord.id }]);
  const back = await ana(team.nord, nord.token);
  await back.send('leave_room', {});
  expect(await bo.next('user_exit')).toEqual({ id: nord.id, channelId: est });
  expect((await joinResumable(back, est, back.token)).state.self.id).toBe(nord.id);
  const log = (await activityLog(t)).filter((line) =>
    /^(?:channel_join|channel_leave|connexion_lost) (?:Ana|Bo)/u.test(line),
  );
  expect(log.map((line) => line.replace(/^(channel_leave|connexion_lost)/u, 'out'))).toEqual([
    ...['channel_join Ana Nord', 'channel_join Ana Est', 'channel_join Bo Est', 'out Ana Est', 'out Ana Nord'],
    'channel_join Ana Est',
  ]);
  await before.close();
});

test('[PRES31] an id of an earlier process is given once: who ended since gets a new one', async () => {
  const before = await buildTestApp({ database: t.database });
  const one = await joinResumable(await before.connect(team.ana.token), team.nord);
  const back = await ana(team.nord, one.token);
  expect(back.state.self.id).toBe(one.id);
  const bo = await enterRoom(t, team.bo, 'Nord');
  back.close();
  await bo.next('user_exit');
  expect((await ana(team.nord, one.token)).state.self.id).not.toBe(one.id);
  await before.close();
});

test('[PRES30] entries of the log say where somebody comes from now', async () => {
  const app = await buildTestApp({ database: t.database, config: { trustedProxies: ['127.0.0.1'] } });
  const from = (address: string) =>
    connectSocket(app.origin, team.ana.token, {
      auth: { token: team.ana.token },
      extraHeaders: { 'x-forwarded-for': address },
    });
  const one = await joinResumable(await from('198.51.100.1'), team.nord);
  breakLink(one);
  const back = await joinResumable(await from('203.0.113.9'), team.nord, one.token);
  await back.send('leave_room', {});
  const [entry] = await t.database.db.select().from(activities).where(eq(activities.type, 'channel_leave'));
  expect(entry?.address).toBe('203.0.113.9');
  back.close();
  await app.close();
});

test('[GUEST10] a guest who is lost when their link is withdrawn is out at once', async () => {
  const link = await makeLink(t, team.admin, team.nord);
  const bo = await enterRoom(t, team.bo, 'Nord');
  const julie = await joinResumable(await t.connect(await visit(t, link)), team.nord);
  breakLink(julie);
  await bo.next('participant_changed');
  await t.call(withdrawGuestLink, { linkId: link.id }, team.admin.token);
  expect(await bo.next('user_exit')).toMatchObject({ id: julie.id });
  expect(await t.database.db.select().from(userSockets)).toHaveLength(1);
});

alone('the token names the process that made it').test(
  '[TALK155] the second part of a token is the same in all of a process, and another one in the next',
  async () => {
    const processOf = ({ token }: Resumable) => token.split('.')[1];
    const before = await buildTestApp({ database: t.database });
    const one = await joinResumable(await before.connect(team.ana.token), team.nord);
    const other = await joinResumable(await before.connect(team.bo.token), team.nord);
    expect(processOf(other)).toBe(processOf(one));
    expect(processOf(await ana(team.nord, one.token))).not.toBe(processOf(one));
    await before.close();
  },
);

test('[PRES30] what is no token is malformed or opens nothing', async () => {
  const socket = await t.connect(team.ana.token);
  const join = (resume: unknown) => socket.send('join_room', { room: 'Nord', resume: resume as string });
  for (const odd of [5, {}, ['x'], true, 'x'.repeat(161)]) {
    expect(await join(odd)).toMatchObject({ ok: false, code: 'malformed' });
  }
  for (const odd of ['', '..', '__proto__.x.y', '💥.💥.💥']) {
    expect(await join(odd)).toMatchObject({ ok: true, data: { self: { id: socket.id } } });
  }
});

test('[CHAT12] typing is passed on once a second for each room', async () => {
  await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
  const one = await ana();
  await joinResumable(one, team.sud, one.token);
  const rooms = [await enterRoom(t, team.admin, 'Nord'), await enterRoom(t, team.admin, 'Sud')];
  for (const channelId of [team.nord, team.nord, team.sud]) await one.send('typing', { channelId });
  for (const room of rooms) await room.next('typingResponse');
  await caughtUp(...rooms);
  for (const room of rooms) expect(room.waiting('typingResponse')).toEqual([]);
});

test('[TALK100] of a room that a beat names twice the last one counts', async () => {
  const one = await ana();
  const { version } = one.state.floor;
  const rooms = [version + 1, version + 1, version].map((known) => ({ channelId: team.nord, version: known }));
  expect(await one.send('beat', { rooms })).toEqual({ ok: true, data: { floors: [] } });
  const twice = [version, version + 1].map((known) => ({ channelId: team.nord, version: known }));
  expect(await one.send('beat', { rooms: twice })).toMatchObject({ data: { floors: [{ version }] } });
});
