import { randomUUID } from 'node:crypto';
import { type ClientMessageId, getChannelMessages, sendMessage } from '@pressel/contract/chat';
import { asc, eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { channelMembers } from '#src/db/schema/channels.ts';
import { messageCounters, messages } from '#src/db/schema/messages.ts';
import { arrayOf } from '#src/shared/list-sql.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

const STUCK = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('messages that come while another one is being stored', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const send = (person: Person, message: string, clientId = randomUUID() as ClientMessageId) =>
    t.call(sendMessage, { channelId: team.nord, message, clientId }, person.token);
  const stored = () => t.database.db.select().from(messages).orderBy(asc(messages.number));

  /** By how many transactions these texts were stored. */
  async function transactionsOf(texts: readonly string[]): Promise<number | undefined> {
    const { rows } = await t.database.db.execute<{ n: number }>(
      sql`select count(distinct xmin::text)::int as n from messages where text = any(${arrayOf('text', texts)})`,
    );
    return rows[0]?.n;
  }

  /** Sends these while the channel's second message is held up. */
  async function sendMeanwhile(sendAll: () => ReturnType<typeof send>[]) {
    const { db } = t.database;
    await send(team.admin, 'first');
    let second: ReturnType<typeof send> | undefined;
    let others: ReturnType<typeof send>[] = [];
    await db.transaction(async (tx) => {
      await tx.select().from(messageCounters).where(eq(messageCounters.channelId, team.nord)).for('update');
      second = send(team.admin, 'second');
      await waitUntil(async () => (await db.execute(STUCK)).rows.length === 1);
      others = sendAll();
      // Whatever was sent before this has arrived when it is answered.
      await t.call(getChannelMessages, { channelId: team.nord }, team.bo.token);
    });
    await second;
    return Promise.all(others);
  }

  test('CHAT4: are stored by one transaction, and told in the order of their numbers', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    await sendMeanwhile(() => ['a', 'b', 'c', 'd'].map((text) => send(team.ana, text)));
    await caughtUp(bo);
    const texts = (await stored()).map(({ text }) => text);
    expect(bo.waiting('messageResponse').map(({ textMsg }) => textMsg)).toEqual(texts);
    expect(texts.toSorted()).toEqual(['a', 'b', 'c', 'd', 'first', 'second']);
    expect(await transactionsOf(texts)).toBe(3);
  });

  test('CHAT3, CHAT5: stand each for itself: one that was sent before, and one of somebody who may not send', async () => {
    const id = randomUUID() as ClientMessageId;
    const twice = randomUUID() as ClientMessageId;
    const { body: known } = await send(team.ana, 'once', id);
    const bo = await enterRoom(t, team.bo, 'Nord');
    const replies = await sendMeanwhile(() => [
      send(team.ana, 'a'),
      send(team.out, 'x'),
      send(team.ana, 'again', id),
      send(team.bo, 'b', twice),
      send(team.bo, 'b', twice),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 403, 200, 200, 200]);
    expect(replies[1]?.body.code).toBe('not_a_member');
    expect(replies[2]?.body.message).toEqual(known.message);
    await caughtUp(bo);
    expect(bo.waiting('messageResponse').map(({ number }) => number)).toEqual([2, 3, 4, 5]);
    expect((await stored()).map(({ text }) => text).toSorted()).toEqual(['a', 'b', 'first', 'once', 'second']);
    expect(await transactionsOf(['a', 'b']), 'what was sent before holds the others up no more than one would').toBe(1);
  });

  test('CHAT1: are all refused when the database fails at one of them, and none is told', async () => {
    const { db } = t.database;
    const bo = await enterRoom(t, team.bo, 'Nord');
    const replies = await db.transaction(async (tx) => {
      await tx.select().from(channelMembers).where(eq(channelMembers.userId, team.ana.id)).for('update');
      const sending = sendMeanwhile(() => [send(team.bo, 'b'), send(team.ana, 'a')]);
      await waitUntil(async () => (await stored()).length === 2 && (await db.execute(STUCK)).rows.length === 1);
      await db.execute(sql`select pg_terminate_backend(pid) from (${STUCK}) as stuck`);
      return sending;
    });
    expect(replies.map(({ status }) => status)).toEqual([503, 503]);
    await caughtUp(bo);
    expect(bo.waiting('messageResponse').map(({ textMsg }) => textMsg)).toEqual(['first', 'second']);
    expect((await stored()).map(({ text }) => text)).toEqual(['first', 'second']);
  });
});
