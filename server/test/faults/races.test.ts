import { setTimeout as sleep } from 'node:timers/promises';
import { getUserSessions, isValidToken, logOut } from '@pressel/contract/auth';
import { createGuestLink, getInvitation } from '@pressel/contract/guests';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { callAt, enterAsPage, type Member, type RoomClient, sendTextAt } from '../room-client.ts';
import { connectSocket, type TestSocket } from '../socket-client.ts';
import { waitUntil } from '../wait-until.ts';
import { type Crowd, gather } from './crowd.ts';

/** How often two people enter at the same moment. */
const ENTRIES = 200;

describe.skipIf(inject('redis') === null)('several processes at once', { timeout: 300_000 }, () => {
  let crowd: Crowd;
  beforeEach(async () => {
    // One machine's clock is ten minutes ahead, another one's is as much behind.
    const clocks = ['600000', '0', '-600000'];
    crowd = await gather(4, {
      ...{ count: 3, cluster: inject('cluster') },
      envOf: (index) => ({ CLOCK_OFFSET_MS: String(clocks[index]) }),
    });
  });
  afterEach(() => crowd.close());

  test('[PROC59] of two who enter at the same moment by two processes exactly one finds the other, and both know of both', async () => {
    const [, ana, bo] = crowd.members as [Member, Member, Member];
    for (const page of crowd.pages) page.close();
    await waitUntil(async () => true);
    const [first, second] = crowd.processes.servers;
    const open = (origin: string, { token }: Member) => connectSocket(origin, token);
    for (let round = 0; round < ENTRIES; round += 1) {
      const sockets = await Promise.all([open(String(first?.origin), ana), open(String(second?.origin), bo)]);
      const [one, other] = sockets as [TestSocket, TestSocket];
      const join = async (socket: TestSocket) => {
        const ack = await socket.send('join_room', { room: 'x', channelId: crowd.channelId });
        if (!ack.ok) throw new Error(ack.code);
        return ack.data;
      };
      const [anas, bos] = await Promise.all([join(one), join(other)]);
      const anaFound = anas.participants.some(({ id }) => id === other.id);
      const boFound = bos.participants.some(({ id }) => id === one.id);
      expect([anaFound, boFound].filter(Boolean), `round ${round}`).toHaveLength(1);
      // The one who was found gets news of the other.
      if (boFound) await one.next('user joined', ({ id }) => id === other.id);
      else await other.next('user joined', ({ id }) => id === one.id);
      await Promise.all(sockets.map((socket) => socket.send('leave_room', {})));
      for (const socket of sockets) socket.close();
    }
  });

  test('[PROC60] clocks that differ change nothing about who talks, and for how long', async () => {
    crowd.begin();
    await waitUntil(() => crowd.granted() > 40);
    await crowd.end();
    await crowd.check();
    const early = crowd.pages.flatMap((page) => page.of<{ type: string; reason?: string }>('floor_reply'));
    expect(early.filter(({ type }) => type === 'revoked')).toEqual([]);
  });

  test('[PROC92] sessions, guest links, messages and ages mean the same time at every process', async () => {
    const [admin, ana] = crowd.members as [Member, Member];
    const { servers, databaseUrl } = crowd.processes;
    const atEach = <T>(ask: (origin: string) => Promise<T>) => Promise.all(servers.map(({ origin }) => ask(origin)));
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const databaseNow = async () =>
      Number((await client.query('select extract(epoch from clock_timestamp()) * 1000 as now')).rows[0].now);

    // Less than the clocks differ.
    for (const [minutes, isOpen] of [
      [5, true],
      [-5, false],
    ] as const) {
      const link = { channelId: crowd.channelId, name: 'Pompiers', hours: 1 } as const;
      const { path } = await callAt(String(servers[0]?.origin), createGuestLink, link, admin.token);
      const token = String(path.split('#guest=')[1]);
      await client.query("update guest_links set expires_at = now() + $1 * interval '1 minute'", [minutes]);
      const invitations = await atEach((origin) => callAt(origin, getInvitation, { token }));
      expect(invitations.map(({ res }) => res.state)).toEqual(servers.map(() => (isOpen ? 'open' : 'expired')));
      const end = "update sessions set expires_at = now() + $1 * interval '1 minute' where user_id = $2";
      await client.query(end, [minutes, ana.id]);
      const sessions = await atEach((origin) => callAt(origin, isValidToken, { token: ana.token }));
      expect(sessions.map(({ success }) => success)).toEqual(servers.map(() => isOpen));
    }

    const ages = await atEach((origin) => callAt(origin, getUserSessions, { userId: admin.id }, admin.token));
    for (const { res } of ages) expect(res[0]?.ageMs).toBeLessThan(300_000);

    // The estimates of processes differ by a part of a round trip.
    const errorMs = 2_000;
    for (let round = 0; round < 2; round += 1) {
      for (const { origin } of servers) {
        const before = await databaseNow();
        const { createdAt } = await sendTextAt(origin, admin, crowd.channelId, origin);
        expect(Date.parse(createdAt)).toBeGreaterThan(before - errorMs);
        expect(Date.parse(createdAt)).toBeLessThan((await databaseNow()) + errorMs);
      }
    }
    // The logged moment of an entrance: by the database's clock as well, whichever process logged it.
    const { rows } = await client.query(
      "select max(abs(extract(epoch from created_at - now()))) as ago from activities where type = 'channel_join'",
    );
    expect(Number(rows[0].ago)).toBeLessThan(300);
    await client.end();
  });

  test('[PROC61] who comes back by another process each time is the same participant, once', async () => {
    const ana = crowd.members[1] as Member;
    const [, bo] = crowd.pages as [RoomClient, RoomClient];
    let at = 0;
    const origins = crowd.processes.servers.map(({ origin }) => origin);
    const hopping = await enterAsPage(() => String(origins[at]), ana, crowd.channelId);
    await waitUntil(() => bo.others().includes(hopping.id));
    for (let round = 0; round < 30; round += 1) {
      at = (at + 1) % origins.length;
      const before = hopping.returns.length;
      hopping.drop();
      await waitUntil(() => hopping.returns.length > before);
      expect(hopping.ids.size, `round ${round}`).toBe(1);
    }
    await waitUntil(() => bo.others().filter((id) => id === hopping.id).length === 1);
    expect(bo.of<{ id: string }>('user_exit').filter(({ id }) => id === hopping.id)).toEqual([]);
    expect(await hopping.press()).toMatchObject({ type: 'granted' });
    at = (at + 1) % origins.length;
    hopping.drop();
    await waitUntil(() => hopping.isThere());
    expect(hopping.isTalking()).toBe(true);
    await hopping.release();
    hopping.close();
  });

  test('[PROC62] a session that ended has no socket at any process', async () => {
    const ana = crowd.members[1] as Member;
    const sockets = await Promise.all(crowd.processes.servers.map(({ origin }) => connectSocket(origin, ana.token)));
    await callAt(crowd.processes.origin, logOut, {}, ana.token);
    expect(await Promise.all(sockets.map(({ disconnected }) => disconnected))).toEqual(
      sockets.map(() => 'io server disconnect'),
    );
    await sleep(0);
    for (const { origin } of crowd.processes.servers) await expect(connectSocket(origin, ana.token)).rejects.toThrow();
  });

  test('[PROC63] a call rings at every process, is taken once, and ends at both', async () => {
    const [, ana, bo] = crowd.members as [Member, Member, Member];
    const [first, second, third] = await Promise.all([
      connectSocket(String(crowd.processes.servers[0]?.origin), ana.token),
      connectSocket(String(crowd.processes.servers[1]?.origin), bo.token),
      connectSocket(String(crowd.processes.servers[2]?.origin), bo.token),
    ]);
    for (let round = 0; round < 5; round += 1) {
      const started = await first.send('call_start', { userId: bo.id });
      if (!started.ok) throw new Error(started.code);
      const { callId } = started.data;
      await Promise.all([second, third].map((socket) => socket.next('call_ring', (ring) => ring.callId === callId)));
      const answers = await Promise.all([second, third].map((socket) => socket.send('call_accept', { callId })));
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      await first.next('call_accepted', (accepted) => accepted.callId === callId);
      const taker = answers[0]?.ok ? second : third;
      await taker.send('call_end', { callId });
      await first.next('call_over', (over) => over.callId === callId);
    }
    for (const socket of [first, second, third]) socket.close();
  });
});
