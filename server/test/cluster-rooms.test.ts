import { addUserToChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { buildCluster, hasRedis, type TestCluster } from './cluster.ts';
import { activityLog, caughtUp, enterRoom, makeChannel, makeTeam, type Team } from './factories.ts';
import { breakLink, joinResumable, type Resumable } from './resuming.ts';
import type { TestSocket } from './socket-client.ts';
import { waitUntil } from './wait-until.ts';

type RoomName = 'nord' | 'sud' | 'est';

/** Ana is in Nord and Sud by the first process, and talks in Nord. She comes back by the second one. */
describe.skipIf(!hasRedis)('a client in several rooms', () => {
  let cluster: TestCluster;
  let [one, two] = [] as unknown as [TestCluster['processes'][0], TestCluster['processes'][0]];
  let team: Team;
  let rooms: Record<RoomName, ChannelId>;
  let ana: Resumable;
  /** In Nord by the first process. */
  let bo: TestSocket;
  /** In Sud by the second process. */
  let boss: TestSocket;
  beforeEach(async () => {
    cluster = await buildCluster({ resumeMs: 60_000, presenceRepairMs: 100 });
    [one, two] = cluster.processes as [typeof one, typeof two];
    team = await makeTeam(one);
    const est = await makeChannel(one, team.admin, 'Est', [team.ana.id]);
    rooms = { nord: team.nord, sud: team.sud, est };
    await one.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
    const nord = await joinResumable(await one.connect(team.ana.token), team.nord);
    ana = await joinResumable(nord, team.sud, nord.token);
    bo = await enterRoom(one, team.bo, 'Nord');
    boss = await enterRoom(two, team.admin, 'Sud');
    await ana.send('floor_request', { channelId: team.nord, seq: 1 });
  });
  afterEach(() => cluster.close());

  const rowsOfAna = () => cluster.database.db.select().from(userSockets).where(eq(userSockets.userId, team.ana.id));
  const ofAna = (line: string) => / Ana (?:Nord|Sud)$/u.test(line);
  /** The news of Ana that the others in Nord and Sud got, apart from her silence. */
  const movesOfAna = () =>
    [bo, boss].flatMap((socket) =>
      (['user joined', 'user_exit'] as const).flatMap((event) =>
        socket.waiting(event).filter(({ id }) => id !== bo.id && id !== boss.id),
      ),
    );

  /** Joins a room: Est as a client that has no token for it, the others with the token. */
  const join = (socket: TestSocket, name: RoomName) =>
    socket.send('join_room', {
      ...{ room: 'x', channelId: rooms[name], keep: true },
      ...(name === 'est' ? { resume: null } : { resume: ana.token }),
      ...(name === 'nord' && { claim: 1 }),
    });

  describe.each([
    { way: 'one after the other', atOnce: false },
    { way: 'all at once', atOnce: true },
  ])('joins $way', ({ atOnce }) => {
    test.each([
      { order: ['nord', 'sud'] as const },
      { order: ['sud', 'nord'] as const },
      { order: ['est', 'nord', 'sud'] as const },
      { order: ['est', 'sud', 'nord'] as const },
      { order: ['sud', 'est', 'nord'] as const },
      { order: ['nord', 'sud', 'est'] as const },
    ])('[PROC64] $order: it is the same participant there, and nobody is told of anything', async ({ order }) => {
      // Both were told of her before.
      await caughtUp(bo, boss);
      for (const socket of [bo, boss]) socket.waiting('user joined').splice(0);
      const back = await two.connect(team.ana.token);
      breakLink(ana);
      const answers: Awaited<ReturnType<typeof join>>[] = [];
      if (atOnce) answers.push(...(await Promise.all(order.map((name) => join(back, name)))));
      else for (const name of order) answers.push(await join(back, name));

      for (const [index, name] of order.entries()) {
        expect(answers[index], name).toMatchObject({ ok: true });
        if (name !== 'est') expect(answers[index], name).toMatchObject({ data: { self: { id: ana.id } } });
        if (name === 'nord') expect(answers[index]).toMatchObject({ data: { floor: { talkers: [{ id: ana.id }] } } });
      }
      await back.send('floor_renew', { channelId: team.nord, seq: 1 });
      const released = await back.send('floor_release', { channelId: team.nord, seq: 2 });
      expect(released).toMatchObject({ data: { type: 'released' } });
      for (const channelId of [team.nord, team.sud]) await back.send('typing', { channelId });
      for (const socket of [bo, boss]) await socket.next('typingResponse');
      await caughtUp(bo, boss, back);
      expect(movesOfAna()).toEqual([]);
      expect(back.waiting('floor_reply').filter(({ type }) => type === 'revoked')).toEqual([]);
      const entries = ['channel_join Ana Nord', 'channel_join Ana Sud', 'channel_talk Ana Nord'];
      await waitUntil(async () => (await activityLog(one)).filter(ofAna).length >= entries.length);
      expect((await activityLog(one)).filter(ofAna).toSorted()).toEqual(entries);
      // Est was entered by somebody else, if it was entered first.
      await waitUntil(async () => (await rowsOfAna()).every(({ socketId }) => socketId === ana.id));
    });
  });

  test('[PROC64] a token whose participant is gone leaves the socket as it is', async () => {
    ana.close();
    await bo.next('user_exit', ({ id }) => id === ana.id);
    await boss.next('user_exit', ({ id }) => id === ana.id);
    const back = await two.connect(team.ana.token);
    const names = ['est', 'nord', 'sud'] as const;
    for (const name of names) {
      expect(await join(back, name)).toMatchObject({ ok: true, data: { self: { id: back.id } } });
    }
    await waitUntil(async () => (await rowsOfAna()).length === names.length);
    expect((await rowsOfAna()).every(({ socketId }) => socketId === back.id)).toBe(true);
  });

  test('[PROC64] a link that is lost again before all rooms were entered keeps the others for as long as ever', async () => {
    breakLink(ana);
    const before = await joinResumable(await two.connect(team.ana.token), team.nord, ana.token);
    breakLink(before);
    await waitUntil(async () => (await rowsOfAna()).every(({ isSilent }) => isSilent));
    await beatOf(before);
    const back = await one.connect(team.ana.token);
    for (const name of ['nord', 'sud'] as const) {
      expect(await join(back, name)).toMatchObject({ ok: true, data: { self: { id: ana.id } } });
    }
    await caughtUp(bo, boss);
    expect([bo, boss].flatMap((socket) => socket.waiting('user_exit'))).toEqual([]);
    expect((await activityLog(one)).filter((line) => /(?:leave|lost) Ana/u.test(line))).toEqual([]);
  });

  /** Waits until the process that has Ana has put its rows right: it then deletes a row of nobody. */
  async function beatOf(socket: Pick<TestSocket, 'id'>): Promise<void> {
    const { db } = cluster.database;
    const [row] = await rowsOfAna();
    expect(row?.socketId).toBe(ana.id);
    const nobody = { ...row, socketId: `nobody ${socket.id}`, channelId: null, joinedAt: null } as typeof row;
    await db.insert(userSockets).values(nobody as NonNullable<typeof row>);
    const isThere = async () =>
      (
        await db
          .select()
          .from(userSockets)
          .where(eq(userSockets.socketId, `nobody ${socket.id}`))
      ).length > 0;
    await waitUntil(async () => !(await isThere()));
    expect(await db.select().from(servers)).toHaveLength(2);
  }
});
