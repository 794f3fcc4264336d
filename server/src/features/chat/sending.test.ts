import { randomUUID } from 'node:crypto';
import type { ClientMessageId, Message } from '@pressel/contract/chat';
import { asc, eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '#src/accounts/session.ts';
import { createSessions } from '#src/accounts/sessions.ts';
import { databaseTrouble } from '#src/db/errors.ts';
import { arrayOf } from '#src/db/list-sql.ts';
import { channelMembers } from '#src/db/schema/channels.ts';
import { messageCounters, messages } from '#src/db/schema/messages.ts';
import { AppError } from '#src/shared/app-error.ts';
import { createChannelHosts } from '#src/sockets/channel-hosts.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';
import { presentMessage } from './message-broadcast.ts';
import { createInsertMessage } from './messages.repository.ts';
import { createSending, TURN_MAX_MS } from './sending.ts';

const STUCK = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

interface Outcome {
  code: 'ok' | 'unavailable' | AppError['code'];
  message?: Message;
}

describe('messages that come while another one is being stored', () => {
  let t: TestApp;
  let team: Team;
  let told: Message[];
  let time: number;
  let send: (person: Person, text: string, clientId?: ClientMessageId) => Promise<Outcome>;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
    told = [];
    time = 0;
    const { db } = t.database;
    const now = () => new Date();
    // Calls it directly, so that a message waits from the moment it is sent.
    const sending = createSending({
      ...{ db, now, broadcast: { created: (message) => void told.push(message) } },
      insertMessage: createInsertMessage({ insert: (from) => sql`select from ${from}`, values: () => ({}) }),
      hosts: createChannelHosts(() => time),
      present: (row) => presentMessage(row, () => ''),
    });
    const sessions = createSessions(db, now);
    const known = new Map<Person, Session | null>();
    for (const person of [team.admin, team.ana, team.bo, team.out]) {
      known.set(person, await sessions.authenticate(person.token, '127.0.0.1'));
    }
    send = (person, text, clientId = randomUUID() as ClientMessageId) => {
      const session = known.get(person);
      if (!session) throw new Error(`${person.email} is not signed in`);
      return sending.send(session, { channelId: team.nord, text, clientId }).then(
        ({ message }) => ({ code: 'ok', message }),
        (error: unknown) => {
          if (error instanceof AppError) return { code: error.code };
          if (databaseTrouble(error) !== null) return { code: 'unavailable' };
          throw error;
        },
      );
    };
  });
  afterEach(() => t.close());

  const stored = () => t.database.db.select().from(messages).orderBy(asc(messages.number));

  /** The number of transactions that stored these texts. */
  async function transactionsOf(texts: readonly string[]): Promise<number | undefined> {
    const { rows } = await t.database.db.execute<{ n: number }>(
      sql`select count(distinct xmin::text)::int as n from messages where text = any(${arrayOf('text', texts)})`,
    );
    return rows[0]?.n;
  }

  /** Sends these while the channel's second message is held up. */
  async function sendMeanwhile(sendAll: () => Promise<Outcome>[]): Promise<Outcome[]> {
    const { db } = t.database;
    await send(team.admin, 'first');
    let second: Promise<Outcome> | undefined;
    let others: Promise<Outcome>[] = [];
    await db.transaction(async (tx) => {
      await tx.select().from(messageCounters).where(eq(messageCounters.channelId, team.nord)).for('update');
      second = send(team.admin, 'second');
      await waitUntil(async () => (await db.execute(STUCK)).rows.length === 1);
      others = sendAll();
    });
    await second;
    return Promise.all(others);
  }

  test('CHAT4: are stored by one transaction, and told in the order of their numbers', async () => {
    await sendMeanwhile(() => ['a', 'b', 'c', 'd'].map((text) => send(team.ana, text)));
    const texts = (await stored()).map(({ text }) => text);
    expect(told.map(({ textMsg }) => textMsg)).toEqual(texts);
    expect(texts.toSorted()).toEqual(['a', 'b', 'c', 'd', 'first', 'second']);
    expect(await transactionsOf(texts)).toBe(3);
  });

  test('CHAT3, CHAT5: stand each for itself: one that was sent before, and one of somebody who may not send', async () => {
    const id = randomUUID() as ClientMessageId;
    const twice = randomUUID() as ClientMessageId;
    const known = await send(team.ana, 'once', id);
    told = [];
    const replies = await sendMeanwhile(() => [
      send(team.ana, 'a'),
      send(team.out, 'x'),
      send(team.ana, 'again', id),
      send(team.bo, 'b', twice),
      send(team.bo, 'b', twice),
    ]);
    expect(replies.map(({ code }) => code)).toEqual(['ok', 'not_a_member', 'ok', 'ok', 'ok']);
    expect(replies[2]?.message).toEqual(known.message);
    expect(told.map(({ number }) => number)).toEqual([2, 3, 4, 5]);
    expect((await stored()).map(({ text }) => text).toSorted()).toEqual(['a', 'b', 'first', 'once', 'second']);
    expect(await transactionsOf(['a', 'b']), 'what was sent before holds the others up no more than one would').toBe(1);
  });

  test('CHAT1: are stored and told, or refused, never both: one that waited for too long is neither', async () => {
    const replies = await sendMeanwhile(() => {
      const old = send(team.ana, 'old');
      time += TURN_MAX_MS;
      const young = send(team.bo, 'young');
      time += 1;
      return [old, young];
    });
    expect(replies.map(({ code }) => code)).toEqual(['unavailable', 'ok']);
    expect((await stored()).map(({ text }) => text)).toEqual(['first', 'second', 'young']);
    expect(told.map(({ textMsg }) => textMsg)).toEqual(['first', 'second', 'young']);
  });

  test('CHAT1: are all refused when the database fails at one of them, and none is told', async () => {
    const { db } = t.database;
    const replies = await db.transaction(async (tx) => {
      await tx.select().from(channelMembers).where(eq(channelMembers.userId, team.ana.id)).for('update');
      const sending = sendMeanwhile(() => [send(team.bo, 'b'), send(team.ana, 'a')]);
      await waitUntil(async () => (await stored()).length === 2 && (await db.execute(STUCK)).rows.length === 1);
      await db.execute(sql`select pg_terminate_backend(pid) from (${STUCK}) as stuck`);
      return sending;
    });
    expect(replies.map(({ code }) => code)).toEqual(['unavailable', 'unavailable']);
    expect(told.map(({ textMsg }) => textMsg)).toEqual(['first', 'second']);
    expect((await stored()).map(({ text }) => text)).toEqual(['first', 'second']);
  });
});
