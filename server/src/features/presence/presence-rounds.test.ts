import { randomUUID } from 'node:crypto';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { createSessions } from '#src/accounts/sessions.ts';
import type { LiveParticipant } from '#src/sockets/sockets.ts';
import { newParticipant } from '#src/sockets/sockets.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { watchStatements } from '#test/statements.ts';
import { createPresenceStore, type PresenceStore } from './presence.store.ts';

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

/** The store of one more process. */
async function openStore(): Promise<PresenceStore> {
  const store = createPresenceStore({
    ...{ db: t.database.db, serverId: randomUUID(), isShared: true, record: async () => undefined },
    ...{ now: () => new Date(), log: t.app.log },
  });
  await store.open();
  return store;
}
const many = (of: Session = session): LiveParticipant[] =>
  Array.from({ length: MANY }, () => newParticipant(randomUUID() as ParticipantId, of));
/** How many statements some work takes. */
async function statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; count: number }> {
  const watch = watchStatements();
  const result = await work();
  watch.stop();
  return { result, count: watch.texts.length };
}

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
