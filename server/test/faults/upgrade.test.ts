import { deleteUserFromChannel, updateChannel } from '@pressel/contract/channels';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { hasLastRelease, type LastRelease, openLastRelease } from '../last-release.ts';
import type { ServerProcess } from '../processes.ts';
import {
  callAt,
  enterAsPage,
  type Member,
  makeChannelAt,
  messagesAt,
  type RoomClient,
  sendTextAt,
} from '../room-client.ts';
import { connectSocket } from '../socket-client.ts';
import { waitUntil } from '../wait-until.ts';
import { type Crowd, gather } from './crowd.ts';

const isReady = inject('redis') !== null && (await hasLastRelease());

/** Stopping processes of this release may reset connections (PROC107). Later ones may not. */
const RESETTING = '41226bcdcdbbf9a323e2f95cf4f4808e7ec3e692';
/** How `fetch` tells that a connection ended without an answer. */
const isReset = (why: string) => /ECONNRESET|other side closed/u.test(why);

/** Two processes; one or both run the last release, whose sources come from git. */
describe.skipIf(!isReady)('beside the last release', { timeout: 300_000 }, () => {
  let release: LastRelease;
  let crowd: Crowd;
  beforeAll(async () => {
    release = await openLastRelease();
  });
  afterAll(() => release?.remove());
  beforeEach(async () => {
    crowd = await gather(6, { count: 2, cluster: inject('cluster'), root: release.root });
  });
  afterEach(() => crowd.close());

  const restart = async (server: ServerProcess, root?: string) => {
    expect(await server.stop('SIGTERM')).toBe(0);
    await server.start(root);
  };

  test('[PROC81] [PROC82] an upgrade and a roll-back, process by process, refuse no call and cost nobody their place', async () => {
    const talkOn = async () => {
      const [granted, sent] = [crowd.granted(), crowd.sent()];
      await waitUntil(() => crowd.granted() > granted + 10 && crowd.sent() > sent + 5);
    };
    const reset: string[] = [];
    crowd.begin();
    await talkOn();
    for (const root of [undefined, release.root]) {
      for (const server of crowd.processes.servers) {
        const refused = crowd.refused().length;
        expect(await server.stop('SIGTERM')).toBe(0);
        // The other process runs the previous version, and works while this one changes the tables.
        await server.start(root);
        await talkOn();
        if (root === undefined && release.commit === RESETTING)
          reset.push(...crowd.refused().slice(refused).filter(isReset));
      }
    }
    await crowd.end();
    await crowd.check();
    expect(crowd.refused()).toEqual(reset);
    expect(crowd.pages.filter(({ ids }) => ids.size === 1)).toHaveLength(crowd.pages.length);
    for (const server of crowd.processes.servers) expect(server.errors()).not.toMatch(/"level":[56]0/u);
  });

  test('[PROC81] one room, one floor, one discussion and one call span both versions', async () => {
    const [older, newer] = crowd.processes.servers as [ServerProcess, ServerProcess];
    await restart(newer);
    const [admin, ana, bo] = crowd.members as [Member, Member, Member];
    const room = await makeChannelAt(newer.origin, admin, 'Sud', [ana, bo]);
    const [anas, bos] = (await Promise.all([
      enterAsPage(() => older.origin, ana, room),
      enterAsPage(() => newer.origin, bo, room),
    ])) as [RoomClient, RoomClient];
    await waitUntil(() => anas.others().includes(bos.id) && bos.others().includes(anas.id));

    for (const [talker, listener] of [
      [anas, bos],
      [bos, anas],
    ] as const) {
      expect(await talker.press()).toMatchObject({ type: 'granted' });
      expect(await listener.press(true)).toMatchObject({ type: 'queued' });
      await waitUntil(() => listener.floor().talkers[0] === talker.id);
      await talker.release();
      await waitUntil(() => listener.isTalking() && talker.floor().talkers[0] === listener.id);
      await listener.release();
      await waitUntil(() => talker.floor().talkers.length === 0);
    }

    await sendTextAt(older.origin, ana, room, 'From the older one');
    await sendTextAt(newer.origin, bo, room, 'From the newer one');
    for (const page of [anas, bos]) await waitUntil(() => page.of('messageResponse').length === 2);
    for (const { origin } of [older, newer]) {
      expect((await messagesAt(origin, ana.token, room)).map(({ number }) => number)).toEqual([1, 2]);
    }

    const [caller, callee] = await Promise.all([
      connectSocket(older.origin, ana.token),
      connectSocket(newer.origin, bo.token),
    ]);
    for (const [from, to, called] of [
      [caller, callee, bo],
      [callee, caller, ana],
    ] as const) {
      const begun = await from.send('call_start', { userId: called.id });
      if (!begun.ok) throw new Error(begun.code);
      const { callId } = begun.data;
      await to.next('call_ring', (news) => news.callId === callId);
      expect(await to.send('call_accept', { callId })).toMatchObject({ ok: true });
      await from.next('call_accepted', (news) => news.callId === callId);
      expect(await from.send('call_end', { callId })).toMatchObject({ ok: true });
      await to.next('call_over', (news) => news.callId === callId);
    }

    // Facts reach the other version, whichever announces them.
    await callAt(newer.origin, updateChannel, { channelId: room, channelName: 'Sud-Est' }, admin.token);
    await callAt(newer.origin, deleteUserFromChannel, { userId: ana.id, channelId: room }, admin.token);
    await waitUntil(() => anas.of('room_closed').length === 1);
    await callAt(older.origin, deleteUserFromChannel, { userId: bo.id, channelId: room }, admin.token);
    await waitUntil(() => bos.of('room_closed').length === 1);
    for (const one of [anas, bos, caller, callee]) one.close();
  });
});
