import { updateChannel } from '@pressel/contract/channels';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

test('[PRES16] who comes back finds their channel under its new name, not another one under the old', async () => {
  const { channel } = (await enterRoom(t, team.ana, 'Nord')).state;
  await t.call(updateChannel, { channelId: team.nord, channelName: 'Nord 2' }, team.admin.token);
  await makeChannel(t, team.admin, 'Nord', [team.ana.id]);
  const ana = await t.connect(team.ana.token);
  const back = await ana.send('join_room', { room: channel.rtcSession, channelId: channel.id });
  expect(back).toMatchObject({ ok: true, data: { channel: { id: team.nord, name: 'Nord 2', rtcSession: 'Nord2' } } });
});

test('[PRES16] an id opens no channel that is not theirs', async () => {
  const ana = await t.connect(team.ana.token);
  const answer = await ana.send('join_room', { room: 'Nord', channelId: team.sud });
  expect(answer).toMatchObject({ ok: false, code: 'not_a_member' });
});
