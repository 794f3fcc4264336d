import { randomUUID } from 'node:crypto';
import { addUserToChannel, deleteChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import {
  type ClientMessageId,
  deleteMessage,
  getChannelMessages,
  type MessageId,
  markMessagesRead,
  searchMessages,
  sendMessage,
} from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { MESSAGE_MAX_LENGTH } from '@pressel/contract/limits';
import { changeUsers } from '@pressel/contract/users';
import { asc, eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { messages } from '#src/db/schema/messages.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { PROCESSES } from '#test/alone.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

const WAITING = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

const clientId = () => randomUUID() as ClientMessageId;

describe('messages', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const send = (person: Person, message: string, more: { clientId?: ClientMessageId; channelId?: ChannelId } = {}) =>
    t.call(sendMessage, { channelId: team.nord, message, ...more }, person.token);
  const history = (person: Person, query: object = {}) =>
    t.call(getChannelMessages, { channelId: team.nord, ...query }, person.token);
  const texts = async (person: Person, query: object = {}) => {
    const { body } = await history(person, query);
    return body.discussion.map(({ textMsg }) => textMsg);
  };
  const remove = (person: Person, msgId: MessageId) => t.call(deleteMessage, { msgId }, person.token);
  const search = async (person: Person, text: string, more: object = {}) =>
    (await t.call(searchMessages, { channelId: team.nord, text, ...more }, person.token)).body;
  const stored = () => t.database.db.select().from(messages).orderBy(asc(messages.number));

  describe('sending', () => {
    test('CHAT1: what is acknowledged is stored, with a number, its sender’s name and an activity', async () => {
      const { status, body } = await send(team.ana, '  Bonjour\nà tous  ');
      expect(status).toBe(200);
      expect(body.message).toEqual({
        id: expect.any(String),
        channelId: team.nord,
        number: 1,
        userId: team.ana.id,
        user: { display_name: 'Ana Test' },
        textMsg: 'Bonjour\nà tous',
        createdAt: expect.any(String),
        clientId: expect.any(String),
        file: null,
      });
      expect((await history(team.bo)).body).toMatchObject({
        discussion: [body.message],
        hasOlder: false,
        hasNewer: false,
        newest: 1,
        readUpTo: 0,
        unread: 1,
      });
      expect((await activityLog(t)).filter((entry) => entry.startsWith('message'))).toEqual(['message_send Ana Nord']);
    });

    test('CHAT2: only members and administrators send and read; a channel that is not there is not found', async () => {
      const nowhere = uuidV7() as ChannelId;
      for (const [person, channelId, expected] of [
        [team.out, team.nord, [403, 'not_a_member']],
        [team.ana, nowhere, [404, 'not_found']],
        [team.admin, nowhere, [404, 'not_found']],
        [team.admin, team.nord, [200, undefined]],
      ] as const) {
        const sent = await send(person, 'x', { channelId });
        const read = await history(person, { channelId });
        const found = await t.call(searchMessages, { channelId, text: 'x' }, person.token);
        for (const { status, body } of [sent, read, found]) expect([status, body.code]).toEqual(expected);
      }
      expect(await texts(team.ana)).toEqual(['x']);
    });

    test('the user that a payload names must be the caller', async () => {
      const body = { channelId: team.nord, message: 'x', userId: team.bo.id };
      expect((await t.call(sendMessage, body, team.ana.token)).status).toBe(403);
      expect((await t.call(sendMessage, { ...body, userId: team.ana.id }, team.ana.token)).status).toBe(200);
      expect((await stored()).map(({ userId }) => userId)).toEqual([team.ana.id]);
    });

    test.each([
      ['nothing', '', 400],
      ['white space', ' \n\t ', 400],
      ['what shows nothing', '\u200b\u2060', 400],
      ['NUL', 'a\u0000', 400],
      ['half a character', '\ud800', 400],
      ['as much as there may be', 'x'.repeat(MESSAGE_MAX_LENGTH), 200],
      ['as much as there may be, of the longest', '€'.repeat(MESSAGE_MAX_LENGTH), 200],
      ['one more', 'x'.repeat(MESSAGE_MAX_LENGTH + 1), 400],
      ['far more', 'x'.repeat(100_000), 413],
    ])('a text of %s', async (_what, message, status) => {
      expect((await send(team.ana, message)).status).toBe(status);
      expect(await stored()).toHaveLength(status === 200 ? 1 : 0);
    });

    test('CHAT3: sent again under the same id, it is stored and told once', async () => {
      const bo = await enterRoom(t, team.bo, 'Nord');
      const id = clientId();
      const replies = await Promise.all(Array.from({ length: 5 }, () => send(team.ana, 'une fois', { clientId: id })));
      const [first] = replies;
      for (const { status, body } of replies) expect([status, body]).toEqual([200, first?.body]);
      expect((await send(team.ana, 'autre', { clientId: id })).body).toEqual(first?.body);
      // The id is the sender's own: another sender's is another message.
      await send(team.admin, 'à moi', { clientId: id });
      await caughtUp(bo);
      expect(bo.waiting('messageResponse').map(({ textMsg }) => textMsg)).toEqual(['une fois', 'à moi']);
      expect((await stored()).map(({ number }) => number)).toEqual([1, 2]);
      expect((await activityLog(t)).filter((entry) => entry.startsWith('message_send'))).toHaveLength(2);
    });

    test('CHAT3: an id that was used in another channel is a conflict, and one of a deleted message stays dead', async () => {
      const id = clientId();
      const { body } = await send(team.admin, 'une fois', { clientId: id });
      const other = await send(team.admin, 'une fois', { clientId: id, channelId: team.sud });
      expect([other.status, other.body.code]).toEqual([409, 'conflict']);
      await remove(team.admin, body.message.id);
      const again = await send(team.admin, 'une fois', { clientId: id });
      expect([again.status, again.body.params]).toEqual([404, { what: 'message' }]);
      expect(await texts(team.admin)).toEqual([]);
    });

    test('CHAT4: numbers have no gaps, and events come in their order, however many send at once', async () => {
      const sockets = [await enterRoom(t, team.bo, 'Nord'), await enterRoom(t, team.ana, 'Nord')];
      const [bo, ana] = sockets;
      const elsewhere = await t.connect(team.ana.token);
      await caughtUp(elsewhere);
      const sendings = Array.from({ length: 20 }, (_, index) => [
        send(team.admin, `a${index}`),
        send(team.ana, `b${index}`),
        bo?.send('message', { message: `c${index}` }),
      ]).flat();
      await Promise.all(sendings);
      await caughtUp(...sockets, elsewhere);
      const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
      const told = [
        bo?.waiting('messageResponse'),
        ana?.waiting('messageResponse'),
        elsewhere.waiting('onSendMessage'),
      ].map((news) => news?.map(({ number }) => number) ?? []);
      for (const heard of told) expect(heard.toSorted((one, other) => one - other)).toEqual(numbers);
      // Two messages that two processes store at the same moment may be told in the other order [PROC71].
      if (PROCESSES === 1) for (const heard of told) expect(heard).toEqual(numbers);
      expect((await stored()).map(({ number }) => number)).toEqual(numbers);
    });

    test('CHAT5: who was removed or whose channel was deleted meanwhile stores nothing', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
      expect((await send(team.ana, 'x')).body.code).toBe('not_a_member');
      expect(await ana.send('message', { message: 'x' })).toMatchObject({ ok: false });
      await t.call(deleteChannel, { channelId: team.nord }, team.admin.token);
      expect((await send(team.ana, 'x')).body.code).toBe('not_found');
      expect(await stored()).toEqual([]);
    });

    test('CHAT5: neither while their message is on its way', async () => {
      const { db } = t.database;
      let sent: ReturnType<typeof send> | undefined;
      await db.transaction(async (tx) => {
        await tx.delete(channelMembers).where(eq(channelMembers.userId, team.ana.id));
        sent = send(team.ana, 'x');
        await waitUntil(async () => (await db.execute(WAITING)).rows.length === 1);
      });
      expect((await sent)?.body.code).toBe('not_a_member');
      expect(await stored()).toEqual([]);
      await db.transaction(async (tx) => {
        await tx.delete(channels).where(eq(channels.id, team.nord));
        sent = send(team.bo, 'x');
        await waitUntil(async () => (await db.execute(WAITING)).rows.length === 1);
      });
      expect((await sent)?.body.code).toBe('not_found');
      expect(await stored()).toEqual([]);
    });

    test('those who send, read, join, leave and are deleted at once do not block each other', async () => {
      const acts: Promise<{ status: number }>[] = [];
      for (let round = 0; round < 12; round += 1) {
        const channelId = await makeChannel(t, team.admin, `Court ${round}`, [team.ana.id, team.bo.id]);
        const guest = await t.signUp(`Guest${round}`, team.admin.token);
        const userId = guest.id;
        acts.push(
          t.call(addUserToChannel, { userId, channelId }, team.admin.token),
          send(team.ana, 'x', { channelId }),
          send(team.bo, 'y', { channelId }),
          t.call(markMessagesRead, { channelId, from: 1, to: 2 }, team.bo.token),
          t.call(markMessagesRead, { channelId, from: 1, to: 2 }, guest.token),
          send(guest, 'z', { channelId }),
          t.call(changeUsers, { userIds: [userId], change: { type: 'delete' } }, team.admin.token),
          t.call(deleteChannel, { channelId }, team.admin.token),
        );
      }
      const statuses = new Set((await Promise.all(acts)).map(({ status }) => status));
      for (const status of statuses) expect([200, 401, 403, 404]).toContain(status);
    });

    test('CHAT6: who sends too much is told how long to wait, by call and by event together', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      for (let sent = 0; sent < 15; sent += 1) {
        expect((await send(team.ana, 'x')).status).toBe(200);
        expect(await ana.send('message', { message: 'x' })).toMatchObject({ ok: true });
      }
      const { status, body } = await send(team.ana, 'x');
      expect([status, body.params?.retryAfterSeconds]).toEqual([429, expect.any(Number)]);
      expect(await ana.send('message', { message: 'x' })).toMatchObject({ ok: false, code: 'too_many' });
      expect((await send(team.bo, 'x')).status).toBe(200);
    });
  });

  describe('events', () => {
    test('CHAT7: the room gets the message, members elsewhere that there is one, others nothing', async () => {
      const [bo, ana] = [await enterRoom(t, team.bo, 'Nord'), await t.connect(team.ana.token)];
      const [out, admin] = [await t.connect(team.out.token), await t.connect(team.admin.token)];
      await caughtUp(bo, ana, out, admin);
      const ack = await bo.send('message', { message: ' Salut ', clientId: clientId() });
      if (!ack.ok) throw new Error(ack.code);
      const { message } = ack.data;
      expect(message).toMatchObject({ textMsg: 'Salut', userId: team.bo.id, number: 1 });
      expect(await bo.next('messageResponse')).toEqual(message);
      const { id, user } = message;
      const said = { id, number: 1, userId: team.bo.id, user, textMsg: 'Salut', hasImage: false };
      const news = { channelId: team.nord, channelName: 'Nord', ...said };
      expect(await ana.next('onSendMessage')).toEqual(news);
      await caughtUp(bo, ana, out, admin);
      for (const socket of [ana, out, admin]) expect(socket.waiting('messageResponse')).toEqual([]);
      for (const socket of [bo, ana, out, admin]) expect(socket.waiting('onSendMessage')).toEqual([]);
      expect((await history(team.ana)).body.discussion).toEqual([message]);
    });

    test('a message needs a room, and text', async () => {
      const ana = await t.connect(team.ana.token);
      expect(await ana.send('message', { message: 'x' })).toMatchObject({ ok: false, code: 'not_in_room' });
      expect(await ana.send('typing', {})).toMatchObject({ ok: false, code: 'not_in_room' });
      expect(await ana.send('message created', { anything: [1] })).toEqual({ ok: true, data: {} });
      const inside = await enterRoom(t, team.ana, 'Nord');
      expect(await inside.send('message', { message: ' ' })).toMatchObject({ ok: false, code: 'malformed' });
      expect(await inside.send('message', {} as never)).toMatchObject({ ok: false, code: 'malformed' });
      expect(await stored()).toEqual([]);
    });
  });

  describe('deleting', () => {
    test('CHAT8: the own one, or any as an administrator; for everybody, and who hears of its messages is told', async () => {
      const [mine, theirs] = [(await send(team.ana, 'une')).body.message, (await send(team.bo, 'deux')).body.message];
      const bo = await enterRoom(t, team.bo, 'Nord');
      const [elsewhere, out] = [await t.connect(team.ana.token), await t.connect(team.out.token)];
      await caughtUp(elsewhere, out);
      expect((await remove(team.ana, theirs.id)).body.code).toBe('forbidden');
      expect((await remove(team.out, theirs.id)).body.code).toBe('forbidden');
      expect((await remove(team.ana, mine.id)).body).toEqual({ success: true });
      const gone = { channelId: team.nord, id: mine.id, number: 1, deleted: true };
      expect(await bo.next('room message changed')).toEqual(gone);
      expect(await elsewhere.next('room message changed'), 'it may be unread there').toEqual(gone);
      await caughtUp(bo, out);
      for (const socket of [bo, out]) expect(socket.waiting('room message changed')).toEqual([]);
      expect(await texts(team.bo)).toEqual(['deux']);
      expect((await remove(team.ana, mine.id)).status).toBe(404);
      expect((await remove(team.admin, theirs.id)).status).toBe(200);
      expect((await remove(team.admin, uuidV7() as MessageId)).status).toBe(404);
      expect((await history(team.ana)).body).toMatchObject({ discussion: [], newest: 2 });
      expect((await stored()).map(({ text, searchText }) => text + searchText)).toEqual(['', '']);
      expect((await send(team.ana, 'trois')).body.message.number).toBe(3);
    });

    test('who is no member any more deletes nothing', async () => {
      const { body } = await send(team.ana, 'une');
      await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
      expect((await remove(team.ana, body.message.id)).body.code).toBe('forbidden');
      expect(await texts(team.bo)).toEqual(['une']);
    });

    test('CHAT9: messages of a deleted user stay, with the name; of a deleted channel they are kept, and listed nowhere', async () => {
      const { body } = await send(team.ana, 'une');
      await t.call(changeUsers, { userIds: [team.ana.id], change: { type: 'delete' } }, team.admin.token);
      expect((await history(team.bo)).body.discussion).toMatchObject([{ user: { display_name: 'Ana Test' } }]);
      await t.call(deleteChannel, { channelId: team.nord }, team.admin.token);
      expect((await history(team.admin)).status).toBe(404);
      expect((await remove(team.admin, body.message.id)).status).toBe(404);
      expect(await stored()).toMatchObject([{ text: 'une', userDisplayName: 'Ana Test' }]);
    });
  });

  describe('pages', () => {
    beforeEach(async () => {
      for (let number = 1; number <= 9; number += 1)
        await send([team.ana, team.bo][number % 2] ?? team.ana, `${number}`);
      const { body } = await history(team.admin, { around: 5, limit: 1 });
      await remove(team.admin, body.discussion[0]?.id ?? ('' as MessageId));
    });

    test.each([
      [{}, '1 2 3 4 6 7 8 9', false, false],
      [{ limit: 3 }, '7 8 9', true, false],
      [{ limit: 3, before: 7 }, '3 4 6', true, true],
      [{ limit: 3, before: 4 }, '1 2 3', false, true],
      [{ limit: 3, before: 1 }, '', false, true],
      [{ limit: 3, before: 1_000 }, '7 8 9', true, false],
      [{ limit: 3, after: 0 }, '1 2 3', false, true],
      [{ limit: 3, after: 3 }, '4 6 7', true, true],
      [{ limit: 3, after: 6 }, '7 8 9', true, false],
      [{ limit: 3, after: 9 }, '', true, false],
      [{ limit: 4, around: 6 }, '3 4 6 7', true, true],
      [{ limit: 4, around: 5 }, '3 4 6 7', true, true],
      [{ limit: 4, around: 1 }, '1 2', false, true],
      [{ limit: 4, around: 9 }, '7 8 9', true, false],
      [{ limit: 1, around: 9 }, '9', true, false],
    ])('CHAT10: %o', async (query, expected, hasOlder, hasNewer) => {
      const { body } = await history(team.ana, query);
      expect(body.discussion.map(({ textMsg }) => textMsg).join(' ')).toBe(expected);
      expect([body.hasOlder, body.hasNewer, body.newest]).toEqual([hasOlder, hasNewer, 9]);
    });

    test('two cursors at once are malformed', async () => {
      expect((await history(team.ana, { before: 3, after: 1 })).status).toBe(400);
      expect((await history(team.ana, { limit: 201 })).status).toBe(400);
    });
  });

  test('CHAT10: a search ignores case, accents and line breaks, has no wildcards and finds newest first', async () => {
    for (const text of ['Été à\nParis', 'etes', '100 %', 'Le CŒUR', 'rien']) await send(team.ana, text);
    const found = async (text: string, more: object = {}) =>
      (await search(team.bo, text, more)).res.map(({ textMsg }) => textMsg);
    expect(await found('ÉTÉ')).toEqual(['etes', 'Été à\nParis']);
    expect(await found('a par')).toEqual(['Été à\nParis']);
    expect(await found('coeur')).toEqual(['Le CŒUR']);
    expect(await found('%')).toEqual(['100 %']);
    expect(await found('_')).toEqual([]);
    expect(await search(team.bo, 'e', { limit: 2 })).toMatchObject({
      res: [{ number: 5 }, { number: 4 }],
      hasOlder: true,
    });
    expect(await search(team.bo, 'e', { limit: 2, before: 4 })).toMatchObject({
      res: [{ number: 2 }, { number: 1 }],
      hasOlder: false,
    });
  });

  test('CHAT12: typing is passed on to the others in the room, once a second', async () => {
    const [ana, bo] = [await enterRoom(t, team.ana, 'Nord'), await enterRoom(t, team.bo, 'Nord')];
    const [out, elsewhere] = [await enterRoom(t, team.out, 'Sud'), await t.connect(team.bo.token)];
    for (let times = 0; times < 3; times += 1) expect(await ana.send('typing', {})).toEqual({ ok: true, data: {} });
    expect(await bo.next('typingResponse')).toEqual({ channelId: team.nord, userId: team.ana.id, name: 'Ana Test' });
    await caughtUp(ana, bo, out, elsewhere);
    for (const socket of [ana, bo, out, elsewhere]) expect(socket.waiting('typingResponse')).toEqual([]);
  });
});
