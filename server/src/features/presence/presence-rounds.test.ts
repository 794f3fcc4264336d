import { randomUUID } from 'node:crypto';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { createSessions } from '#src/accounts/sessions.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import type { LiveParticipant } from '#src/sockets/sockets.ts';
import { newParticipant } from '#src/sockets/sockets.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { watchStatements } from '#test/statements.ts';
import { waitUntil } from '#test/wait-until.ts';
import { insertRows, insertSockets, setSilent } from './presence.repository.ts';
import { createPresenceStore, type PresenceStore } from './presence.store.ts';
import { moveSockets } from './take-overs.repository.ts';

/** Those who come back at the same moment. */
const MANY = 20;

let t: TestApp;
let team: Team;
let session: Session;
beforeAll(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
  session = (await createSessions(t.database.db, () => new Date()).authenticate(team.ana.token, '')) as Session;
});
afterAll(() => t.close());

/** The acts that were stored as part of other statements. */
const recorded: string[] = [];

/** The store of one more process. */
async function openStore(serverId: string = randomUUID()): Promise<PresenceStore> {
  const store = createPresenceStore({
    ...{ db: t.database.db, serverId, isShared: true, record: async () => undefined },
    recordWithin: {
      insertAll: sql`select ${sql.placeholder('acts')}::text`,
      valuesOfAll: (acts) => {
        recorded.push(...acts.map(({ type, channel }) => `${type} ${channel?.name}`));
        return { acts: '' };
      },
    },
    ...{ now: () => new Date(), log: t.app.log },
  });
  await store.open();
  return store;
}
const many = (of: Session = session): LiveParticipant[] =>
  Array.from({ length: MANY }, () => newParticipant(randomUUID() as ParticipantId, of));
/** The statements that some work takes. */
async function statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; texts: string[]; count: number }> {
  const watch = watchStatements();
  const result = await work();
  watch.stop();
  return { result, texts: watch.texts, count: watch.texts.length };
}
/** Whether some transaction of this database waits for a lock. */
const isWaiting = async () => {
  const { rows } = await t.database.db.execute(
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
};

test('[PROC98] the sessions of all who connect at once are one statement', async () => {
  const sessions = createSessions(t.database.db, () => new Date());
  const tokens = [...Array.from({ length: MANY }, () => team.ana.token), team.bo.token, 'nobody'];
  const { result, count } = await statementsOf(() => Promise.all(tokens.map((one) => sessions.authenticate(one, ''))));
  expect(count).toBe(1);
  expect(result.map((one) => one?.userId ?? null)).toEqual([
    ...Array.from({ length: MANY }, () => team.ana.id),
    ...[team.bo.id, null],
  ]);
});

test('[PROC98] the rows of all who come at once are one transaction, and one of a user is the first', async () => {
  const store = await openStore();
  const bo = { ...session, userId: team.bo.id };
  const { result, count } = await statementsOf(() =>
    Promise.all([...many(), ...many(bo)].map((one) => store.put(one))),
  );
  expect(count).toBe(4);
  expect(result.filter((isFirst) => isFirst)).toHaveLength(2);
  expect(await store.put(newParticipant(randomUUID() as ParticipantId, bo))).toBe(false);
  expect((await store.rows()).size).toBe(2 * MANY + 1);
  await store.close([]);
});

test('[PROC98] a row that cannot be written fails none of those that came with it', async () => {
  const store = await openStore();
  const gone = newParticipant('gone' as ParticipantId, { ...session, userId: randomUUID() as UserId });
  const outcomes = await Promise.allSettled([gone, ...many()].map((one) => store.put(one)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', ...many().map(() => 'fulfilled')]);
  expect((await store.rows()).size).toBe(MANY);
  await store.close([]);
});

test('[PROC98] a guest who left meanwhile fails nobody else, and is found by halves', async () => {
  const store = await openStore();
  const guest = { linkId: randomUUID(), channelId: team.nord } as never;
  const left = newParticipant('left' as ParticipantId, { ...session, userId: randomUUID() as UserId, guest });
  const all = [...many(), left, ...many()];
  const { result, texts } = await statementsOf(() => Promise.allSettled(all.map((one) => store.put(one))));
  expect(result.flatMap(({ status }, index) => (status === 'rejected' ? [all[index]] : []))).toEqual([left]);
  expect(result.flatMap((one) => (one.status === 'rejected' ? [violatedConstraint(one.reason)] : []))).toEqual([
    expect.stringContaining('guest_id'),
  ]);
  // The round of 41, and two halves of each of 41, 21, 11, 6, 3 and 2.
  expect(texts.filter((text) => text === 'begin').length).toBeLessThanOrEqual(13);
  expect((await store.rows()).size).toBe(2 * MANY);
  await store.close([]);
});

test('[PROC98] a user whose row is locked holds up only their own rows', async () => {
  const store = await openStore();
  const bo = { ...session, userId: team.bo.id };
  const late = newParticipant('late' as ParticipantId, bo);
  const putLate = await t.database.db.transaction(async (tx) => {
    await tx.execute(sql`select from users where id = ${team.bo.id} for update`);
    const [own, ...others] = [late, ...many()].map((one) => store.put(one));
    await Promise.all(others);
    await waitUntil(isWaiting);
    return { own };
  });
  expect(await putLate.own).toBe(true);
  await store.close([]);
});

test('[PROC98] a process that hangs while it stores who came holds their locks for a second at most', async () => {
  const serverId = randomUUID();
  const store = await openStore(serverId);
  const limitsOf = (count: number) =>
    t.database.db.transaction(async (tx) => {
      const arrivals = many()
        .slice(0, count)
        .map(({ id: socketId }) => ({ socketId, userId: team.out.id, guestId: null, sessionId: session.id }));
      await insertSockets(tx, arrivals, serverId);
      const { rows } = await tx.execute(
        sql`select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('lock_timeout') as lock`,
      );
      return rows[0];
    });
  expect(await limitsOf(2)).toEqual({ idle: '1s', lock: '300ms' });
  expect(await limitsOf(1)).toEqual({ idle: '1s', lock: '10s' });
  await store.close([]);
});

test('[PROC98] a participant whose row is locked holds up no other one that is taken over', async () => {
  const [one, two] = [await openStore(), await openStore()];
  const participants = many();
  await Promise.all(participants.map((participant) => one.put(participant)));
  const back = participants.map(({ id }) => ({ ...newParticipant(randomUUID() as ParticipantId, session), id }));
  const adopted = await t.database.db.transaction(async (tx) => {
    await tx.execute(sql`select from user_sockets where socket_id = ${back[0]?.id} for update`);
    const [own, ...others] = back.map((participant) => two.adopt(participant));
    expect(await Promise.all(others)).toEqual(others.map(() => new Map()));
    return { own };
  });
  expect(await adopted.own).toEqual(new Map());
  expect((await two.rows()).size).toBe(MANY);
  for (const store of [one, two]) await store.close([]);
});

test.each(['moveSockets', 'setSilent'] as const)(
  'rows of participants are locked in the order of their ids: %s',
  async (by) => {
    const serverIds = [randomUUID(), randomUUID()] as const;
    const stores = [await openStore(serverIds[0]), await openStore(serverIds[1])];
    const [first, second] = ['order 1', 'order 2'] as const;
    const joinedAt = new Date();
    const rows = [second, first].map((socketId) => {
      const of = { socketId, sessionId: session.id, userId: session.userId, guestId: null, serverId: serverIds[0] };
      return { ...of, channelId: team.nord, joinedAt, video: null, talkMs: null, isSilent: false };
    });
    await insertRows(t.database.db, rows);
    await t.database.db
      .transaction(async (tx) => {
        await tx.execute(sql`select from user_sockets where socket_id = ${first} for update`);
        const work =
          by === 'setSilent'
            ? setSilent(t.database.db, serverIds[0], rows)
            : moveSockets(
                t.database.db,
                rows.map(({ socketId, sessionId }) => ({ socketId, sessionId, storedAs: socketId })),
                serverIds[1],
              );
        const settled = Promise.allSettled([work]);
        await waitUntil(isWaiting);
        const free = await t.database.db.execute(
          sql`select 1 from user_sockets where socket_id = ${second} for update skip locked`,
        );
        expect(free.rows).toHaveLength(1);
        return { settled };
      })
      .then(({ settled }) => settled);
    for (const store of stores) await store.close([]);
  },
);

test('rows of users are locked in the order of their ids, in whatever order they came', async () => {
  const serverId = randomUUID();
  const store = await openStore(serverId);
  const [first, second] = [team.ana.id, team.bo.id].toSorted() as [UserId, UserId];
  const putBoth = await t.database.db.transaction(async (tx) => {
    await tx.execute(sql`select from users where id = ${first} for update`);
    const came = [second, first].map((userId) => newParticipant(randomUUID() as ParticipantId, { ...session, userId }));
    const both = t.database.db.transaction((other) =>
      insertSockets(
        other,
        came.map(({ id: socketId, session: { userId, id: sessionId } }) => {
          return { socketId, userId, sessionId, guestId: null };
        }),
        serverId,
      ),
    );
    both.catch(() => undefined);
    await waitUntil(isWaiting);
    const { rows } = await t.database.db.execute(sql`select 1 from users where id = ${second} for update skip locked`);
    expect(rows).toHaveLength(1);
    return { both };
  });
  await putBoth.both;
  await store.close([]);
});

test('[PROC98] all who are taken over at once are one statement, and each gets its own rooms', async () => {
  const [one, two] = [await openStore(), await openStore()];
  const participants = many();
  const here = { joinedAt: new Date(), video: null, talkMs: null, isSilent: false };
  const rooms = [team.nord, team.sud];
  for (const [index, participant] of participants.entries()) {
    await one.put(participant);
    const channel = { id: rooms[index % 2] as ChannelId, name: 'x', rtcSession: 'x', talkMode: 'single', version: 1 };
    await one.enter(participant, channel as never, here);
  }
  const back = participants.map(({ id }) => {
    const own = newParticipant(randomUUID() as ParticipantId, session);
    return { ...own, id };
  });
  for (const participant of back) await two.put(participant);
  const stranger = {
    ...newParticipant('x' as ParticipantId, { ...session, id: randomUUID() }),
    id: participants[0]?.id,
  };
  const { result, count } = await statementsOf(() =>
    Promise.all([stranger as LiveParticipant, ...back].map((participant) => two.adopt(participant))),
  );
  expect(count).toBe(1);
  expect(result.map((adopted) => adopted && [...adopted.keys()])).toEqual([
    null,
    ...participants.map((_, index) => [rooms[index % 2]]),
  ]);
  expect([...(await two.rows()).keys()].toSorted()).toEqual(participants.map(({ id }) => id as string).toSorted());
  const who = await statementsOf(() =>
    Promise.all(back.map((_, index) => two.occupants(rooms[index % 2] as ChannelId))),
  );
  expect(who.count).toBe(1);
  expect(who.result.map((occupants) => occupants.length)).toEqual(back.map(() => MANY / 2));
  for (const store of [one, two]) await store.close([]);
});

test('[PRES48] an entrance is one statement, with its entry in the log, and so is leaving', async () => {
  recorded.splice(0);
  const store = await openStore();
  const [participant, stays] = [0, 1].map(() => newParticipant(randomUUID() as ParticipantId, session)) as [
    LiveParticipant,
    LiveParticipant,
  ];
  const channel = { id: team.sud, name: 'Sud', rtcSession: 'Sud', talkMode: 'single', version: 1 } as const;
  const here = { joinedAt: new Date(), video: null, talkMs: null, isSilent: false };
  const enteredRoom = { ...here, id: team.sud, name: 'Sud', isClosed: false, beatAt: null, awaitsResume: false };
  for (const one of [participant, stays]) {
    await store.put(one);
    const entered = await statementsOf(() => store.enter(one, channel, here));
    expect(entered.count).toBe(1);
    expect(entered.result.map(({ socketId }) => socketId)).toContain(one.id);
    one.enteredRooms.set(team.sud, enteredRoom);
  }
  // It is in another room as well.
  await store.enter(stays, { ...channel, id: team.nord, name: 'Nord' }, here);
  stays.enteredRooms.set(team.nord, { ...enteredRoom, id: team.nord, name: 'Nord' });
  const { count } = await statementsOf(() => store.leave([participant, stays], team.sud, 'channel_leave'));
  expect(count).toBe(1);
  expect(await store.rows()).toEqual(
    new Map([
      [participant.id, []],
      [stays.id, [team.nord]],
    ]),
  );
  const [joined, left] = ['channel_join Sud', 'channel_leave Sud'];
  expect(recorded).toEqual([joined, joined, 'channel_join Nord', left, left]);
});

test('[TALK158] the channel is read once for a participant who is in no other room, and once more before it leaves one', async () => {
  const admin = await t.connect(team.admin.token);
  const enter = async (channelId: ChannelId) => {
    const { result, texts } = await statementsOf(() => admin.send('join_room', { room: 'x', channelId }));
    return { isIn: result.ok, reads: texts.filter((text) => text.includes('asked.at::int')).length };
  };
  const unknown = randomUUID() as ChannelId;
  expect(await enter(unknown)).toEqual({ isIn: false, reads: 1 });
  expect(await enter(team.nord)).toEqual({ isIn: true, reads: 1 });
  expect(await enter(team.sud)).toEqual({ isIn: true, reads: 2 });
  expect(await enter(unknown)).toEqual({ isIn: false, reads: 1 });
  expect(await admin.send('beat', { version: 0, channelId: team.sud }), 'it stays where it is').toMatchObject({
    ok: true,
  });
});
