import { updateChannel } from '@pressel/contract/channels';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROCESSES } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';

const ROUNDS = 60;

describe('the mode of the floor', () => {
  let t: TestApp;
  let team: Team;
  /** Clock advanced per round, because presses are limited to ten per second, however fast the machine is. */
  let steady: number;
  beforeEach(async () => {
    steady = 0;
    t = await buildTestApp({ steadyNow: () => steady });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  test('[TALK29] is the channel’s, however many enter while it is edited', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const admin = await enterRoom(t, team.admin, 'Nord');
    const modes: string[] = [];
    const modeAt = async (socket: TestSocket) => {
      const answer = await socket.send('beat', { version: 0 });
      return answer.ok && answer.data.floor?.mode;
    };
    for (let round = 1; round <= ROUNDS; round += 1) {
      const talkMode = round % 2 === 0 ? 'single' : 'open';
      steady += 1_000;
      const bo = await t.connect(team.bo.token);
      await caughtUp(bo);
      const edit = async () => {
        // A different delay each round, in queries, so that edit and entry interleave in every order.
        for (let turn = 0; turn < round % 12; turn += 1) await t.database.ping();
        await t.call(updateChannel, { channelId: team.nord, channelName: 'Nord', talkMode }, team.admin.token);
      };
      await Promise.all([bo.send('join_room', { room: 'Nord' }), edit()]);
      // With several processes, the one that edited changes the floor while it answers. Its other requests would come after that.
      if (PROCESSES > 1) await waitUntil(async () => (await modeAt(admin)) === talkMode);
      // Nobody pre-empts an administrator, so a member is granted at the same time only in open mode.
      await admin.send('floor_request', { seq: 2 * round - 1 });
      const other = await ana.send('floor_request', { seq: 2 * round - 1, queue: false });
      modes.push(`${talkMode}: ${other.ok && other.data.type === 'granted' ? 'open' : 'single'}`);
      await Promise.all([ana, admin].map((one) => one.send('floor_release', { seq: 2 * round })));
      bo.close();
    }
    expect(modes.filter((one) => !['open: open', 'single: single'].includes(one))).toEqual([]);
  });
});
