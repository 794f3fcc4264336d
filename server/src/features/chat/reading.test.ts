import {
  addUserToChannel,
  deleteChannel,
  deleteUserFromChannel,
  updateUserChannelsByChannelName,
} from '@pressel/contract/channels';
import {
  getChannelMessages,
  getMessageReaders,
  getUnreadCounts,
  type MessageId,
  markMessagesRead,
  sendMessage,
} from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { UNREAD_MAX } from '@pressel/contract/limits';
import { createMultipleUsers } from '@pressel/contract/transfer';
import { changeUsers, getAllUsers } from '@pressel/contract/users';
import { asc, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messageCounters, messageReads, messages } from '#src/db/schema/messages.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, makeTeam, type Team } from '#test/factories.ts';

const MINUTE_MS = 60_000;

describe('reading', () => {
  let time: Date;
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    time = new Date();
    t = await buildTestApp({ now: () => time });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const send = async (person: Person, count = 1, channelId = team.nord) => {
    const sent: MessageId[] = [];
    for (let index = 0; index < count; index += 1) {
      const { body } = await t.call(sendMessage, { channelId, message: `${index}` }, person.token);
      sent.push(body.message.id);
    }
    return sent;
  };
  const mark = (person: Person, from: number, to = from, channelId: ChannelId = team.nord) =>
    t.call(markMessagesRead, { channelId, from, to }, person.token);
  const state = async (person: Person) => {
    const { body } = await t.call(getChannelMessages, { channelId: team.nord, limit: 1 }, person.token);
    return [body.readUpTo, body.unread];
  };
  const unread = async (person: Person) => {
    const { body } = await t.call(getUnreadCounts, {}, person.token);
    return body.res.map(({ channelId, unread: count }) => [channelId === team.nord ? 'Nord' : channelId, count]);
  };
  const readers = async (msgId: MessageId | undefined, person = team.admin) =>
    (await t.call(getMessageReaders, { msgId: msgId ?? ('' as MessageId) }, person.token)).body;
  const seen = async () => {
    const rows = await t.database.db.select().from(messageReads).orderBy(asc(messageReads.first));
    return rows.map(({ first, last }) => `${first}-${last}`).join(' ');
  };
  const later = (ms: number) => {
    time = new Date(time.getTime() + ms);
  };

  test('CHAT30: the mark moves to the highest that was seen, never back, nor past the newest; own messages are not unread', async () => {
    await send(team.bo, 3);
    await send(team.ana, 1);
    expect(await state(team.ana)).toEqual([0, 3]);
    expect((await mark(team.ana, 1, 2)).body).toEqual({ success: true, readUpTo: 2, unread: 1 });
    expect((await mark(team.ana, 1)).body).toMatchObject({ readUpTo: 2, unread: 1 });
    expect(await unread(team.ana)).toEqual([['Nord', 1]]);
    expect((await mark(team.ana, 3, 1_000)).body).toMatchObject({ readUpTo: 4, unread: 0 });
    expect((await mark(team.ana, 900, 1_000)).body).toMatchObject({ readUpTo: 4, unread: 0 });
    expect([await unread(team.ana), await state(team.bo), await unread(team.bo)]).toEqual([[], [0, 1], [['Nord', 1]]]);
  });

  test('CHAT31: who becomes a member has nothing to catch up on, however they become one', async () => {
    await send(team.bo, 2);
    const imported = {
      firstName: 'I',
      lastName: 'M',
      identifier: 'i@example.org',
      pseudo: 'I',
      password: 'pw',
      mapRight: false,
      canal: 'Nord',
    };
    await t.call(createMultipleUsers, { userData: [imported] } as never, team.admin.token);
    await t.call(addUserToChannel, { userId: team.out.id, channelId: team.nord }, team.admin.token);
    const { body } = await t.call(getAllUsers, {}, team.admin.token);
    const found = body.res.find(({ identifier }) => identifier === imported.identifier);
    const rows = await t.database.db.execute(
      sql`select messages_before from channel_members where user_id = ${found?.id}`,
    );
    expect(rows.rows).toEqual([{ messages_before: '2' }]);
    expect([await state(team.out), await unread(team.out)]).toEqual([[2, 0], []]);
    await send(team.bo, 1);
    expect([await state(team.out), await unread(team.out)]).toEqual([[2, 1], [['Nord', 1]]]);
    // A look at an old message does not make the others unread.
    expect((await mark(team.out, 1)).body).toMatchObject({ readUpTo: 2, unread: 1 });
    // Coming back doesn't either.
    await t.call(deleteUserFromChannel, { userId: team.out.id, channelId: team.nord }, team.admin.token);
    await send(team.bo, 1);
    const channels = { userIdentifier: team.out.email, channelNames: ['Nord'] };
    await t.call(updateUserChannelsByChannelName, channels, team.admin.token);
    expect(await state(team.out)).toEqual([4, 0]);
  });

  test('an administrator who is no member has read all until they read here', async () => {
    await send(team.bo, 3);
    expect([await state(team.admin), await unread(team.admin)]).toEqual([[3, 0], []]);
    expect((await mark(team.admin, 1)).body).toMatchObject({ readUpTo: 3 });
    await send(team.bo, 1);
    expect([await state(team.admin), await unread(team.admin)]).toEqual([[3, 1], []]);
  });

  test('CHAT32: all sockets of the reader hear of it, nobody else', async () => {
    await send(team.bo, 2);
    const [one, two, bo] = [
      await t.connect(team.ana.token),
      await t.connect(team.ana.token),
      await t.connect(team.bo.token),
    ];
    await caughtUp(one, two, bo);
    await mark(team.ana, 1);
    for (const socket of [one, two]) {
      expect(await socket.next('messages_read')).toEqual({ channelId: team.nord, readUpTo: 1, unread: 1 });
    }
    await caughtUp(bo);
    expect(bo.waiting('messages_read')).toEqual([]);
  });

  test('CHAT33: an administrator sees who had a message on the screen, and when first', async () => {
    const [first, second, third] = await send(team.bo, 3);
    later(MINUTE_MS);
    const early = time.toISOString();
    await mark(team.ana, 2, 3);
    later(MINUTE_MS);
    await mark(team.ana, 1, 3);
    await mark(team.admin, 2);
    await mark(team.bo, 1, 3);
    const ana = { userId: team.ana.id, display_name: 'Ana Test' };
    const late = time.toISOString();
    expect(await readers(second)).toEqual({
      success: true,
      res: [
        { ...ana, readAt: early },
        { userId: team.admin.id, display_name: 'Admin Test', readAt: late },
      ],
      memberCount: 1,
    });
    expect((await readers(first)).res).toEqual([{ ...ana, readAt: late }]);
    expect((await readers(third)).res).toEqual([{ ...ana, readAt: early }]);
    expect((await readers(first, team.bo)).code).toBe('forbidden');
    expect((await readers(uuidV7() as MessageId)).code).toBe('not_found');
    await t.call(changeUsers, { userIds: [team.ana.id], change: { type: 'delete' } }, team.admin.token);
    expect(await readers(first)).toMatchObject({ res: [], memberCount: 0 });
    await t.call(deleteChannel, { channelId: team.nord }, team.admin.token);
    expect((await readers(first)).code).toBe('not_found');
  });

  test('CHAT34: what is read within a minute is one entry, and nothing was read before it was sent', async () => {
    await send(team.bo, 2);
    await mark(team.ana, 1);
    later(MINUTE_MS / 2);
    await mark(team.ana, 2);
    expect(await seen()).toBe('1-2');
    const [third] = await send(team.bo, 1);
    await mark(team.ana, 3);
    expect(await seen()).toBe('1-3');
    expect((await readers(third)).res[0]?.readAt).toBe(time.toISOString());
    later(MINUTE_MS);
    await send(team.bo, 3);
    await mark(team.ana, 4);
    await mark(team.ana, 6);
    await mark(team.ana, 1, 6);
    expect(await seen()).toBe('1-3 4-5 6-6');
  });

  test('of a long range only the last thousand are recorded', async () => {
    await insertMany(3_000);
    expect((await mark(team.ana, 1, Number.MAX_SAFE_INTEGER)).body).toMatchObject({ readUpTo: 3_000, unread: 0 });
    expect(await seen()).toBe('2001-3000');
  });

  test('unread messages are counted up to a thousand', async () => {
    await insertMany(1_500);
    expect([await state(team.ana), await unread(team.ana)]).toEqual([[0, UNREAD_MAX], [['Nord', UNREAD_MAX]]]);
  });

  test('CHAT11: one activity in ten minutes and channel, and none for one’s own messages', async () => {
    const reads = async () => (await activityLog(t)).filter((entry) => entry.startsWith('message_read'));
    await send(team.ana, 1);
    await mark(team.ana, 1);
    expect(await reads()).toEqual([]);
    await send(team.bo, 4);
    await mark(team.ana, 2);
    await mark(team.ana, 3);
    later(10 * MINUTE_MS - 1);
    await mark(team.ana, 4);
    expect(await reads()).toEqual(['message_read Ana Nord']);
    later(1);
    await mark(team.ana, 4);
    expect(await reads()).toHaveLength(1);
    await mark(team.ana, 5);
    expect(await reads()).toHaveLength(2);
  });

  test('two devices at once leave no gap and no overlap', async () => {
    await send(team.bo, 20);
    const marks = Array.from({ length: 40 }, (_, index) => mark(team.ana, 1 + (index % 5), 5 + (index % 16)));
    for (const { status } of await Promise.all(marks)) expect(status).toBe(200);
    const numbers = (await seen()).split(' ').flatMap((range) => {
      const [first = 0, last = 0] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await state(team.ana)).toEqual([20, 0]);
  });

  test('who is no member reads nothing', async () => {
    await send(team.bo, 1);
    expect((await mark(team.out, 1)).body.code).toBe('not_a_member');
    expect((await mark(team.ana, 1, 1, uuidV7() as ChannelId)).body.code).toBe('not_found');
    expect((await mark(team.ana, 2, 1)).body.code).toBe('malformed');
    expect(await seen()).toBe('');
  });

  async function insertMany(count: number): Promise<void> {
    const { db } = t.database;
    await db.execute(sql`insert into ${messages} (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
      select gen_random_uuid(), ${team.nord}, n, ${team.bo.id}, 'Bo', 'x', gen_random_uuid(), now() from generate_series(1, ${count}::int) n`);
    await db.insert(messageCounters).values({ channelId: team.nord, newest: count });
  }
});
