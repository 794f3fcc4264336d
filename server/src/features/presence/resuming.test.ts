import { logOut } from '@pressel/contract/auth';
import { addUserToChannel, deleteChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { ROOMS_MAX } from '@pressel/contract/limits';
import { deleteUser } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { userSockets } from '#src/db/schema/presence.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { breakLink, joinResumable } from '#test/resuming.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp({ resumeMs: 600_000 });
  team = await makeTeam(t);
});
afterEach(() => t.close());

const rows = () => t.database.db.select().from(userSockets);

/** Joins as a client that can resume. */
const come = async (who: Person | TestSocket, channelId = team.nord, resume: string | null = null, more = {}) =>
  joinResumable('raw' in who ? who : await t.connect(who.token), channelId, resume, more);

const isOfRoom = (line: string) => line.endsWith('Ana Nord');

const lose = breakLink;

describe('a link that is lost', () => {
  test('[PRES30] its participant stays: shown as out of reach, then back, with no leaving, entering or entry of the log', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    await bo.next('user joined');
    lose(ana);
    expect(await bo.next('participant_changed')).toEqual({ ...ana.state.self, channelId: team.nord, silent: true });
    const admin = await enterRoom(t, team.admin, 'Nord');
    expect(admin.state.participants).toContainEqual({ ...ana.state.self, silent: true });
    const back = await come(team.ana, team.nord, ana.token);
    expect(back.state).toMatchObject({ self: { ...ana.state.self }, participants: [{ id: bo.id }, { id: admin.id }] });
    expect(await bo.next('participant_changed')).toEqual({ ...ana.state.self, channelId: team.nord });
    await caughtUp(bo, back);
    expect(bo.waiting('user_exit')).toEqual([]);
    expect(bo.waiting('user joined').map(({ id }) => id)).toEqual([admin.id]);
    expect((await activityLog(t)).filter(isOfRoom)).toEqual(['channel_join Ana Nord']);
    await waitUntil(async () => (await rows()).length === 3);
    expect((await rows()).map(({ socketId }) => socketId).sort()).toEqual([ana.id, bo.id, admin.id].toSorted());
  });

  test('[PRES30] what it sends and hears afterwards is that of the same participant', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    lose(ana);
    const back = await come(team.ana, team.nord, ana.token);
    expect(await back.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
    expect(await bo.next('floor_changed')).toMatchObject({ talkers: [{ id: ana.id }] });
    await bo.send('candidate', { candidate: null, candidateReceiveID: back.state.self.id });
    expect(await back.next('getCandidate')).toMatchObject({ candidateSendID: bo.id });
    await back.send('candidate', { candidate: null, candidateReceiveID: bo.state.self.id });
    expect(await bo.next('getCandidate')).toMatchObject({ candidateSendID: ana.id });
  });

  test('[PRES30] a talk goes on when its client comes back within the lease', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    await ana.send('floor_request', { seq: 1 });
    lose(ana);
    await bo.next('participant_changed');
    const back = await come(team.ana, team.nord, ana.token, { claim: 1 });
    expect(back.state.floor.talkers).toMatchObject([{ id: ana.id }]);
    expect(await back.send('floor_renew', { seq: 1 })).toMatchObject({ ok: true });
    expect(await back.send('floor_release', { seq: 2 })).toMatchObject({ data: { type: 'released' } });
  });

  test('[PRES30] who says goodbye leaves at once, and so does a client that can’t resume', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    ana.close();
    expect(await bo.next('user_exit')).toMatchObject({ id: ana.id });
    const old = await enterRoom(t, team.ana, 'Nord');
    lose(old);
    expect(await bo.next('user_exit')).toMatchObject({ id: old.id });
  });

  test('[PRES30] a second socket takes the participant over though the first still looks alive', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    const back = await come(team.ana, team.nord, ana.token);
    expect(back.state.self.id).toBe(ana.id);
    expect(await ana.disconnected).toBe('io server disconnect');
    await caughtUp(bo, back);
    // Nobody was told that it was lost.
    expect([bo.waiting('user_exit'), bo.waiting('participant_changed')]).toEqual([[], []]);
    expect(await back.send('beat', { version: 0 })).toMatchObject({ ok: true });
  });

  test('[PRES30] a token opens nothing to another session, changed, or as another’s', async () => {
    const ana = await come(team.ana);
    lose(ana);
    const [id = '', by = '', mac = ''] = ana.token.split('.');
    const bo = await come(team.bo);
    const elsewhere = await come(await t.connect(await t.signIn(team.ana)), team.nord, ana.token);
    expect(elsewhere.state.self.id).toBe(elsewhere.id);
    for (const token of [
      `${bo.id}.${by}.${mac}`,
      `${id}.${by}.`,
      `${id}.x.${mac}`,
      ana.token.slice(0, -2),
      'x',
      '..',
    ]) {
      expect((await come(team.ana, team.nord, token)).state.self.id).not.toBe(id);
    }
    expect((await come(team.bo, team.nord, ana.token)).state.self.id).not.toBe(id);
    expect(bo.waiting('user_exit')).toEqual([]);
  });

  test('[PRES30] what ends the session ends who is lost, and no token brings them back', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    lose(ana);
    await bo.next('participant_changed');
    await t.call(logOut, {}, team.ana.token);
    expect(await bo.next('user_exit')).toMatchObject({ id: ana.id });
    const again = await t.connect(await t.signIn(team.ana));
    expect((await come(again, team.nord, ana.token)).state.self.id).toBe(again.id);
  });

  test('[PRES30] of a deleted user nobody stays', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    lose(ana);
    await bo.next('participant_changed');
    await t.call(deleteUser, { UserId: team.ana.id }, team.admin.token);
    expect(await bo.next('user_exit')).toMatchObject({ id: ana.id });
    await waitUntil(async () => (await rows()).every(({ socketId }) => socketId !== ana.id));
  });

  test('[PRES14] who is removed while lost is out at once, and can’t resume into the room', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await come(team.ana);
    lose(ana);
    await bo.next('participant_changed');
    await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    expect(await bo.next('user_exit')).toMatchObject({ id: ana.id });
    const again = await t.connect(team.ana.token);
    const answer = await again.send('join_room', { room: 'Nord', channelId: team.nord, keep: true, resume: ana.token });
    expect(answer).toMatchObject({ ok: false, code: 'not_a_member' });
  });

  test('[PRES14] a channel that is deleted while somebody is lost keeps them in no room', async () => {
    const ana = await come(team.ana);
    lose(ana);
    await t.call(deleteChannel, { channelId: team.nord }, team.admin.token);
    const again = await t.connect(team.ana.token);
    const answer = await again.send('join_room', { room: 'Nord', channelId: team.nord, keep: true, resume: ana.token });
    expect(answer).toMatchObject({ ok: false, code: 'not_found' });
    expect((await rows()).every(({ channelId }) => channelId === null)).toBe(true);
  });

  test('[PRES30] resuming takes no move and no entrance', async () => {
    let ana = await come(team.ana);
    for (let round = 0; round < ROOMS_MAX + 5; round += 1) {
      lose(ana);
      ana = await come(team.ana, team.nord, ana.token);
    }
    expect((await activityLog(t)).filter(isOfRoom)).toEqual(['channel_join Ana Nord']);
  });
});

test('[PRES30] who doesn’t come back in time leaves as one whose link was lost', async () => {
  const app = await buildTestApp({ resumeMs: 50 });
  const { ana, bo } = await makeTeam(app);
  const stays = await enterRoom(app, bo, 'Nord');
  const socket = await app.connect(ana.token);
  await socket.send('join_room', { room: 'Nord', resume: null });
  lose(socket);
  expect(await stays.next('user_exit')).toMatchObject({ id: socket.id });
  await waitUntil(async () => (await activityLog(app)).includes('connexion_lost Ana Nord'));
  await app.close();
});

test('[PRES31] after the process died its participants come back under their ids, as if nothing had been', async () => {
  const first = await buildTestApp({ database: t.database });
  const ana = await first.connect(team.ana.token);
  const joined = await ana.send('join_room', { room: 'Nord', resume: null });
  const token = joined.ok ? (joined.data.resume ?? '') : '';
  const bo = await enterRoom(t, team.bo, 'Nord');
  expect(bo.state.participants).toMatchObject([{ id: ana.id }]);
  const back = await come(team.ana, team.nord, token);
  expect(back.state.self.id).toBe(ana.id);
  await caughtUp(bo, back);
  expect([bo.waiting('user_exit'), bo.waiting('user joined')]).toEqual([[], []]);
  expect((await activityLog(t)).filter(isOfRoom)).toEqual(['channel_join Ana Nord']);
  await first.close();
});

describe('several rooms', () => {
  const inBoth = async () => {
    await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
    const nord = await come(team.ana);
    const sud = await come(nord, team.sud, nord.token);
    return { ana: sud, nord: nord.state, sud: sud.state };
  };

  test('[PRES28] keep stays in the other rooms; without it they are left', async () => {
    const { ana } = await inBoth();
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect(bo.state.participants).toMatchObject([{ id: ana.id }]);
    expect(await ana.next('user joined')).toMatchObject({ id: bo.id, channelId: team.nord });
    await ana.send('join_room', { room: 'Sud' });
    expect(await bo.next('user_exit')).toEqual({ id: ana.id, channelId: team.nord });
  });

  test('[PRES29] an event names its room; left out, it is the only one', async () => {
    const { ana } = await inBoth();
    const bo = await enterRoom(t, team.bo, 'Nord');
    const unnamed = [
      ana.send('floor_request', { seq: 1 }),
      ana.send('floor_release', { seq: 2 }),
      ana.send('floor_renew', { seq: 2 }),
      ana.send('beat', { version: 0 }),
      ana.send('talks_since', { stay: 'x', version: 0 }),
      ana.send('last_talks', {}),
      ana.send('micStateChange', { micState: true }),
      ana.send('message', { message: 'Bonjour' }),
      ana.send('typing', {}),
    ];
    for (const answer of await Promise.all(unnamed)) expect(answer).toMatchObject({ ok: false, code: 'not_in_room' });
    const east = await makeChannel(t, team.admin, 'Est', [team.bo.id]);
    for (const channelId of [east, team.nord.replace(/^./u, 'f') as ChannelId]) {
      expect(await ana.send('floor_request', { seq: 1, channelId })).toMatchObject({ code: 'not_in_room' });
      expect(await ana.send('message', { message: 'x', channelId })).toMatchObject({ code: 'not_in_room' });
    }
    expect(await ana.send('ice_config', {})).toMatchObject({ ok: true });
    const channelId = team.nord;
    expect(await ana.send('floor_request', { seq: 1, channelId })).toMatchObject({
      data: { type: 'granted', channelId },
    });
    expect(await bo.next('floor_changed')).toMatchObject({ channelId, talkers: [{ id: ana.id }] });
    expect(await ana.send('floor_request', { seq: 1, channelId: team.sud })).toMatchObject({
      data: { type: 'granted', channelId: team.sud },
    });
    await ana.send('typing', { channelId });
    expect(await bo.next('typingResponse')).toMatchObject({ channelId });
    await ana.send('message', { message: 'Bonjour', channelId });
    expect(await bo.next('messageResponse')).toMatchObject({ channelId, textMsg: 'Bonjour' });
    await ana.send('leave_room', { channelId: team.sud });
    expect(await ana.send('floor_release', { seq: 2 })).toMatchObject({ data: { type: 'released', channelId } });
  });

  test('[PRES29] leave_room leaves one room, or all', async () => {
    const { ana } = await inBoth();
    const bo = await enterRoom(t, team.bo, 'Nord');
    const admin = await enterRoom(t, team.admin, 'Sud');
    await ana.send('leave_room', { channelId: team.nord });
    expect(await bo.next('user_exit')).toMatchObject({ id: ana.id });
    expect((await rows()).filter(({ socketId }) => socketId === ana.id)).toMatchObject([{ channelId: team.sud }]);
    await come(ana, team.nord, ana.token);
    await ana.send('leave_room', {});
    expect(await admin.next('user_exit')).toMatchObject({ id: ana.id });
    expect(await bo.next('user_exit')).toMatchObject({ id: ana.id });
    expect((await rows()).filter(({ socketId }) => socketId === ana.id)).toMatchObject([{ channelId: null }]);
  });

  test('[TALK100] one beat is for all rooms, and says of which it is not', async () => {
    const { ana, nord, sud } = await inBoth();
    const east = await makeChannel(t, team.admin, 'Est', []);
    const answer = await ana.send('beat', {
      rooms: [
        { channelId: team.nord, version: nord.floor.version },
        { channelId: team.sud, version: sud.floor.version + 1 },
        { channelId: east, version: 0 },
      ],
    });
    expect(answer).toMatchObject({ ok: true, data: { floors: [{ channelId: team.sud }], outside: [east] } });
    expect(await ana.send('beat', { rooms: [{ channelId: east, version: 0 }] })).toMatchObject({ code: 'not_in_room' });
    const many = Array.from({ length: ROOMS_MAX + 1 }, () => ({ channelId: team.nord, version: 0 }));
    expect(await ana.send('beat', { rooms: many })).toMatchObject({ code: 'malformed' });
  });

  test('[PRES28] a lost link is lost in all rooms, and each is resumed', async () => {
    const { ana } = await inBoth();
    const bo = await enterRoom(t, team.bo, 'Nord');
    const admin = await enterRoom(t, team.admin, 'Sud');
    lose(ana);
    for (const one of [bo, admin]) expect(await one.next('participant_changed')).toMatchObject({ silent: true });
    const nord = await come(team.ana, team.nord, ana.token);
    const sud = await come(nord, team.sud, nord.token);
    expect([nord.state.self.id, sud.state.self.id]).toEqual([ana.id, ana.id]);
    for (const one of [bo, admin]) expect(await one.next('participant_changed')).not.toHaveProperty('silent');
    await caughtUp(bo, admin);
    for (const one of [bo, admin]) expect(one.waiting('user_exit')).toEqual([]);
  });

  test('[PRES28] a participant is in twenty rooms, and in no more', async () => {
    const ids = [];
    for (let n = 0; n <= ROOMS_MAX; n += 1) ids.push(await makeChannel(t, team.admin, `Canal ${n}`, [team.ana.id]));
    const ana = await t.connect(team.ana.token);
    const join = (channelId: ChannelId) => ana.send('join_room', { room: 'x', channelId, keep: true, resume: null });
    const answers = await Promise.all(ids.slice(0, ROOMS_MAX).map(join));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(await join(ids.at(-1) as ChannelId)).toMatchObject({ ok: false, code: 'rooms_full' });
    await ana.send('leave_room', { channelId: ids[0] });
    expect(await join(ids.at(-1) as ChannelId)).toMatchObject({ ok: true });
  });
});

test('[PRES30] a socket that went while its join waited resumes nobody', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  const ana = await come(team.ana);
  const { raw } = await t.connect(team.ana.token);
  // In one go: the join waits until the socket is taken in, and by then it is gone.
  raw.emit('join_room', { room: 'x', channelId: team.nord, keep: true, resume: ana.token }, () => undefined);
  raw.disconnect();
  await caughtUp(bo, ana);
  ana.close();
  expect(await bo.next('user_exit')).toMatchObject({ id: ana.id });
});
