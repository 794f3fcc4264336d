import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

const enterVideo = async (token: string, video: 'off' | 'camera' | 'screen') => {
  const socket = await t.connect(token);
  const answer = await socket.send('join_room', { room: 'Nord', video });
  if (!answer.ok) throw new Error(answer.code);
  return Object.assign(socket, { state: answer.data });
};

test('[VID1] who comes by the video view is told apart from who does not', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterVideo(team.bo.token, 'camera');
  expect(ana.state.self).not.toHaveProperty('video');
  expect(bo.state.self).toMatchObject({ id: bo.id, video: 'camera' });
  expect(bo.state.participants).toEqual([ana.state.self]);
  expect(await ana.next('user joined')).toMatchObject({ id: bo.id, video: 'camera' });
});

test('[VID5] another picture is told to all, and to who comes later', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const bo = await enterVideo(team.bo.token, 'camera');
  expect(await bo.send('video_state', { video: 'screen' })).toMatchObject({ ok: true });
  const changed = { ...bo.state.self, video: 'screen' };
  expect(await ana.next('participant_changed')).toEqual({ ...changed, channelId: team.nord });
  const admin = await enterVideo(team.admin.token, 'off');
  expect(admin.state.participants).toContainEqual(changed);
});

test('[VID5] a picture goes with the stay: who comes back without the video view has none', async () => {
  const bo = await enterVideo(team.bo.token, 'camera');
  const again = await bo.send('join_room', { room: 'Nord' });
  expect(again).toMatchObject({ ok: true, data: { self: { id: bo.id } } });
  const ana = await enterRoom(t, team.ana, 'Nord');
  expect(ana.state.participants.find(({ id }) => id === bo.id)).not.toHaveProperty('video');
});

test('[VID5] pictures are shown from within the video view only', async () => {
  const outside = await t.connect(team.ana.token);
  expect(await outside.send('video_state', { video: 'camera' })).toMatchObject({ ok: false, code: 'not_in_room' });
  const radio = await enterRoom(t, team.ana, 'Nord');
  expect(await radio.send('video_state', { video: 'camera' })).toMatchObject({ ok: false, code: 'forbidden' });
});

test('[VID5] ten changes at once and no more, and the room hears of those alone', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  let heard = 0;
  ana.raw.on('participant_changed', () => {
    heard += 1;
  });
  const bo = await enterVideo(team.bo.token, 'off');
  const answers = [];
  for (let turn = 0; turn < 14; turn += 1) {
    answers.push(await bo.send('video_state', { video: turn % 2 === 0 ? 'camera' : 'off' }));
  }
  const done = answers.filter(({ ok }) => ok).length;
  expect(done).toBeGreaterThanOrEqual(10);
  expect(answers.at(-1)).toMatchObject({ ok: false, code: 'too_many' });
  await caughtUp(ana);
  expect(heard).toBe(done);
});
