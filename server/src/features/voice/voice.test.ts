import { addUserToChannel } from '@pressel/contract/channels';
import { FLOOR_LEASE_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';

const SDP = 'v=0\r\n';
const signals = (to: string) =>
  [
    ['offer', { sdp: { type: 'offer', sdp: SDP }, offerReceiveID: to, link: 'l1' }, 'getOffer', 'offerSendID'],
    ['answer', { sdp: { type: 'answer', sdp: SDP }, answerReceiveID: to, link: 'l1' }, 'getAnswer', 'answerSendID'],
    ['candidate', { candidate: { candidate: 'c' }, candidateReceiveID: to }, 'getCandidate', 'candidateSendID'],
    ['candidate', { candidate: null, candidateReceiveID: to }, 'getCandidate', 'candidateSendID'],
  ] as const;

describe('voice', () => {
  let t: TestApp;
  let team: Team;
  /** The floor's clock, advanced only by tests, so that they don't depend on the machine's speed. */
  let steady: number;
  beforeEach(async () => {
    steady = 1_000;
    t = await buildTestApp({ steadyNow: () => steady });
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    expect(t.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  const heardNothing = async (...sockets: TestSocket[]) => {
    await caughtUp(...sockets);
    for (const socket of sockets) {
      for (const event of ['getOffer', 'getAnswer', 'getCandidate'] as const) {
        expect(socket.waiting(event)).toEqual([]);
      }
    }
  };

  describe('signals', () => {
    test('reach the one they are for, with the sender’s id, and nobody else', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const admin = await enterRoom(t, team.admin, 'Nord');
      for (const [event, payload, heard, sender] of signals(bo.id)) {
        expect(await ana.send(event, payload as never)).toEqual({ ok: true, data: {} });
        expect(await bo.next(heard)).toMatchObject({ [sender]: ana.id });
      }
      await heardNothing(ana, bo, admin);
    });

    test('carry what was sent and nothing more: the sender and unknown fields come from nobody', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const sdp = { type: 'offer' as const, sdp: SDP };
      const forged = { sdp: { ...sdp, evil: 1 }, offerReceiveID: bo.id, offerSendID: 'admin', link: 'l1', evil: 1 };
      await ana.send('offer', forged as never);
      expect(await bo.next('getOffer')).toStrictEqual({ sdp, offerSendID: ana.id, link: 'l1' });
    });

    test('to participants of other rooms, absent or unknown ones are not delivered', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const out = await enterRoom(t, team.out, 'Sud');
      const idle = await t.connect(team.bo.token);
      await bo.send('leave_room', {});
      const rooms = [`room:${team.sud}`, `room:${team.nord}:${bo.id}`, 'admins', `user:${team.out.id}`];
      for (const to of [out.id, bo.id, idle.id, 'nobody', ...rooms]) {
        for (const [event, payload] of signals(to.slice(0, 64))) await ana.send(event, payload as never);
      }
      await heardNothing(ana, bo, out, idle);
    });

    test('from sockets in no room are refused and not delivered', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const idle = await t.connect(team.ana.token);
      await ana.send('leave_room', {});
      for (const from of [ana, idle]) {
        for (const [event, payload] of signals(bo.id)) {
          expect(await from.send(event, payload as never)).toMatchObject({ ok: false, code: 'not_in_room' });
        }
      }
      await heardNothing(bo);
    });

    test('after a change of room reach the new room, and the old one no longer', async () => {
      await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const out = await enterRoom(t, team.out, 'Sud');
      await join(ana, 'Sud');
      for (const [event, payload] of [...signals(bo.id), ...signals(out.id)]) await ana.send(event, payload as never);
      await out.next('getOffer');
      await heardNothing(bo);
      for (const [event, payload] of signals(ana.id)) await bo.send(event, payload as never);
      await heardNothing(ana);
    });
  });

  describe('the floor', () => {
    test('[TALK25] nobody gets it outside of a room', async () => {
      const ana = await t.connect(team.ana.token);
      const requests = [
        await ana.send('floor_request', { seq: 1 }),
        await ana.send('floor_release', { seq: 1 }),
        await ana.send('floor_renew', { seq: 1 }),
        await ana.send('micStateChange', { micState: true }),
        await ana.send('micStateChange', { micState: false }),
      ];
      for (const ack of requests) expect(ack).toMatchObject({ ok: false, code: 'not_in_room' });
    });

    test('[TALK1] [TALK3] the first who asks is granted, the second is queued or denied', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const channelId = team.nord;
      expect(await ana.send('floor_request', { seq: 1 })).toEqual({
        ok: true,
        data: { type: 'granted', channelId, seq: 1, talkMs: TALK_MAX_MS, leaseMs: FLOOR_LEASE_MS },
      });
      expect(await bo.send('floor_request', { seq: 1, queue: false })).toEqual({
        ok: true,
        data: { type: 'denied', channelId, seq: 1, reason: 'taken', talkerName: 'Ana Test' },
      });
      expect(await bo.send('floor_request', { seq: 2 })).toEqual({
        ok: true,
        data: { type: 'queued', channelId, seq: 2, position: 1, size: 1 },
      });
      await ana.send('floor_release', { seq: 2 });
      expect(await bo.next('floor_reply')).toMatchObject({ type: 'granted', seq: 2 });
    });

    test('[TALK2] an administrator pre-empts a member, who is told by whom', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const admin = await enterRoom(t, team.admin, 'Nord');
      await ana.send('floor_request', { seq: 1 });
      expect(await admin.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
      expect(await ana.next('floor_reply')).toMatchObject({
        type: 'revoked',
        reason: 'preempted',
        byName: 'Admin Test',
      });
      expect(await ana.send('floor_request', { seq: 2 })).toMatchObject({ ok: true, data: { type: 'queued' } });
    });

    test('[TALK12] when the talker’s socket ends, the next in line is granted at once', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      await ana.send('floor_request', { seq: 1 });
      await bo.send('floor_request', { seq: 1 });
      // The clock stands still, so the floor isn't freed by the end of the lease.
      ana.raw.io.engine.close();
      expect(await bo.next('floor_reply')).toMatchObject({ type: 'granted', seq: 1 });
    });

    test('[TALK12] who leaves the room while talking is told that it is over', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await ana.send('floor_request', { seq: 1 });
      await ana.send('leave_room', {});
      expect(await ana.next('floor_reply')).toMatchObject({ type: 'revoked', reason: 'left', seq: 1 });
    });

    alone('floors count by the clock of the test; those of several processes by the database’s [PROC23]').test(
      '[TALK11] who stops renewing loses it when the lease ends, who renews keeps it',
      async () => {
        const ana = await enterRoom(t, team.ana, 'Nord');
        const out = await enterRoom(t, team.out, 'Sud');
        await Promise.all([ana.send('floor_request', { seq: 1 }), out.send('floor_request', { seq: 1 })]);
        steady += FLOOR_LEASE_MS - 1;
        await out.send('floor_renew', { seq: 1 });
        expect(ana.waiting('floor_reply'), 'not before its end').toEqual([]);
        steady += 1;
        expect(await ana.next('floor_reply')).toMatchObject({ type: 'revoked', reason: 'lease_expired' });
        await caughtUp(out);
        expect(out.waiting('floor_reply')).toEqual([]);
      },
    );

    test('[TALK21] in an open channel everybody is granted', async () => {
      await makeChannel(t, team.admin, 'Open', [team.ana.id, team.bo.id], 'open');
      const ana = await enterRoom(t, team.ana, 'Open');
      const bo = await enterRoom(t, team.bo, 'Open');
      for (const one of [ana, bo]) {
        expect(await one.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
      }
      expect((await ana.next('floor_changed', ({ talkers }) => talkers.length === 2)).mode).toBe('open');
    });

    test('the room hears who got and lost it, in snapshots of rising version; others hear nothing', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const sameUserElsewhere = await t.connect(team.bo.token);
      const out = await enterRoom(t, team.out, 'Sud');
      await ana.send('floor_request', { seq: 1 });
      await ana.send('floor_release', { seq: 2 });
      const mic = { id: ana.id, userId: team.ana.id, channelId: team.nord };
      for (const one of [ana, bo]) {
        expect(await one.next('onMicStateChanged')).toEqual({ ...mic, micState: true });
        expect(await one.next('onMicStateChanged')).toEqual({ ...mic, micState: false });
        const taken = await one.next('floor_changed');
        const idle = await one.next('floor_changed');
        expect(taken.talkers).toMatchObject([{ id: ana.id, userId: team.ana.id, name: 'Ana Test' }]);
        expect(idle.talkers).toEqual([]);
        expect(idle.version).toBe(taken.version + 1);
      }
      await caughtUp(sameUserElsewhere, out);
      for (const one of [sameUserElsewhere, out]) {
        expect([...one.waiting('onMicStateChanged'), ...one.waiting('floor_changed')]).toEqual([]);
      }
    });

    test('who comes late sees who talks and who waits', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      await ana.send('floor_request', { seq: 1 });
      await bo.send('floor_request', { seq: 1 });
      const { state } = await enterRoom(t, team.admin, 'Nord');
      expect(state.floor).toMatchObject({ talkers: [{ id: ana.id, name: 'Ana Test' }], queue: [bo.id] });
    });

    test('[TALK28] two tabs of one user are two participants with one claim', async () => {
      const first = await enterRoom(t, team.ana, 'Nord');
      const second = await enterRoom(t, team.ana, 'Nord');
      await first.send('floor_request', { seq: 1 });
      expect(await second.send('floor_request', { seq: 1 })).toMatchObject({
        ok: true,
        data: { type: 'denied', reason: 'elsewhere' },
      });
      await first.send('floor_release', { seq: 2 });
      expect(await second.send('floor_request', { seq: 2 })).toMatchObject({ ok: true, data: { type: 'granted' } });
    });

    test('[TALK14] a fresh entrance starts a fresh count', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await ana.send('floor_request', { seq: 2 ** 50 });
      await join(ana, 'Nord');
      expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
    });
  });
});
