import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addUserToChannel, deleteChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import {
  deleteMessage,
  getChannelMessages,
  getMessageReaders,
  getUnreadCounts,
  type Message,
  markMessagesRead,
  searchMessages,
  sendMessage,
} from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { BACKUP_LOCK } from '#src/db/locks.ts';
import { messageFiles, messageMarks, messageReads, messages } from '#src/db/schema/messages.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { postForm } from '#test/upload.ts';
import { waitUntil } from '#test/wait-until.ts';
import { createMessageUpkeep } from './message-upkeep.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
const START = Date.parse('2026-11-22T10:00:00.000Z');
const PHOTO = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#40a060' } })
  .jpeg()
  .toBuffer();

describe('messages that are older than the retention', () => {
  let database: Database;
  let dataDir: string;
  let time: number;
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    time = START;
    database = await openTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'pressel-retention-'));
    t = await open(null);
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    await database.close();
    await rm(dataDir, { recursive: true });
  });

  const open = (messageRetentionDays: number | null) =>
    buildTestApp({ database, config: { dataDir, messageRetentionDays }, now: () => new Date(time) });
  /** Starts the server again after these days, with a retention; everybody signs in again. */
  const restartAfter = async (days: number, retention: number | null = RETENTION_DAYS) => {
    await t.close();
    time += days * DAY_MS;
    t = await open(retention);
    for (const one of [team.admin, team.ana, team.bo]) one.token = await t.signIn(one);
  };
  const send = async (person: Person, message: string, channelId: ChannelId = team.nord): Promise<Message> =>
    (await t.call(sendMessage, { channelId, message }, person.token)).body.message;
  const sendImage = async () => {
    const form = [
      ['channelId', team.nord],
      ['image', PHOTO, 'x.jpg'],
    ] as const;
    return (await postForm(t.origin, form, team.bo.token)).body.message;
  };
  const page = async (person: Person, query: object = {}) =>
    (await t.call(getChannelMessages, { channelId: team.nord, ...query }, person.token)).body;
  const texts = ({ discussion }: Awaited<ReturnType<typeof page>>) => discussion.map(({ textMsg }) => textMsg);
  const unread = async (person: Person) =>
    (await t.call(getUnreadCounts, {}, person.token)).body.res.map((row) => row.unread);
  const mark = (person: Person, from: number, to: number) =>
    t.call(markMessagesRead, { channelId: team.nord, from, to }, person.token);
  const count = (table: typeof messages | typeof messageFiles | typeof messageReads | typeof messageMarks) =>
    database.db.$count(table);
  const onDisk = async () => {
    const folder = join(dataDir, 'files/messages');
    return existsSync(folder) ? (await readdir(folder)).filter((name) => name !== 'installation') : [];
  };
  const expired = (left: number) => waitUntil(async () => (await count(messages)) === left);

  test('[HIST10] go with their images; the numbers go on, and what is asked of the others is answered as before', async () => {
    await send(team.bo, 'old one');
    const picture = await sendImage();
    const deleted = await send(team.bo, 'deleted');
    await t.call(deleteMessage, { msgId: deleted.id }, team.bo.token);
    await mark(team.ana, 1, 1);
    await restartAfter(29, null);
    await send(team.bo, 'new four');
    await send(team.ana, 'new five');
    await mark(team.admin, 4, 4);
    const before = await page(team.ana, { after: 3 });
    expect([before.hasOlder, await unread(team.ana)]).toEqual([true, [2]]);
    await restartAfter(2);
    await expired(2);
    await waitUntil(async () => (await onDisk()).length === 0);

    const after = await page(team.ana);
    expect(texts(after)).toEqual(['new four', 'new five']);
    expect(after).toMatchObject({ hasOlder: false, hasNewer: false, newest: 5, readUpTo: 1, unread: 1 });
    expect(after.discussion.map(({ number }) => number)).toEqual([4, 5]);
    expect(await unread(team.ana)).toEqual([1]);
    expect(texts(await page(team.ana, { around: 2 }))).toEqual(['new four', 'new five']);
    expect(texts(await page(team.ana, { before: 4 }))).toEqual([]);
    const found = await t.call(searchMessages, { channelId: team.nord, text: 'o' }, team.ana.token);
    expect(found.body.res.map(({ number }) => number)).toEqual([4]);
    expect((await t.call(getMessageReaders, { msgId: picture.id }, team.admin.token)).body.code).toBe('not_found');
    expect((await t.app.inject({ url: String(picture.file?.path) })).statusCode).toBe(404);
    const [four] = after.discussion;
    const readers = await t.call(getMessageReaders, { msgId: four?.id ?? ('' as never) }, team.admin.token);
    expect(readers.body.res.map(({ userId }) => userId)).toEqual([team.admin.id]);
    expect((await send(team.bo, 'six')).number).toBe(6);
  });

  test('[HIST10] also the last one of a channel: the next one has the next number', async () => {
    await send(team.bo, 'one');
    await mark(team.ana, 1, 1);
    await restartAfter(31);
    await expired(0);
    expect(await page(team.ana)).toMatchObject({ discussion: [], newest: 1, readUpTo: 1, unread: 0, hasOlder: false });
    expect((await send(team.bo, 'two')).number).toBe(2);
    expect(await page(team.ana)).toMatchObject({ newest: 2, readUpTo: 1, unread: 1 });
  });

  test('[HIST10] what was read of them goes too; the mark of reading stays where it is', async () => {
    for (const text of ['one', 'two']) await send(team.bo, text);
    await mark(team.ana, 1, 2);
    await mark(team.admin, 1, 1);
    await restartAfter(29, null);
    await send(team.bo, 'three');
    await mark(team.ana, 3, 3);
    await restartAfter(2);
    await expired(1);
    await restartAfter(0);
    await waitUntil(async () => (await count(messageReads)) === 1);
    expect(await count(messageMarks)).toBe(2);
    // An administrator who is no member had read everything when they first read there (CHAT31).
    expect([(await page(team.ana)).readUpTo, (await page(team.admin)).readUpTo]).toEqual([3, 2]);
    expect((await page(team.admin)).unread).toBe(1);
  });

  test('[HIST12] the mark of somebody who left the channel goes with the last of what they read', async () => {
    await send(team.bo, 'one');
    for (const person of [team.ana, team.bo, team.admin]) await mark(person, 1, 1);
    await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    await restartAfter(1, null);
    expect(await count(messageMarks)).toBe(3);
    await restartAfter(30);
    await expired(0);
    await restartAfter(0);
    await waitUntil(async () => (await count(messageMarks)) === 2);
    await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    expect(await page(team.ana)).toMatchObject({ readUpTo: 1, unread: 0 });
  });

  test('[HIST10] those of deleted channels and users go as well', async () => {
    await send(team.bo, 'one');
    await send(team.out, 'two', team.sud);
    await t.call(deleteChannel, { channelId: team.sud }, team.admin.token);
    await restartAfter(31);
    await expired(0);
  });

  test('[HIST11] they go in parts, and a server that was stopped between two goes on', async () => {
    await database.db.execute(sql`
      insert into messages (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
      select gen_random_uuid(), ${team.nord}, n, ${team.bo.id}, 'Bo', 'x', gen_random_uuid(),
        ${new Date(START).toISOString()}::timestamptz - interval '60 days' + n * interval '1 s'
      from generate_series(1, 1200) n`);
    await database.db.execute(sql`insert into message_counters values (${team.nord}, 1200)`);
    const dropped: string[] = [];
    const upkeep = createMessageUpkeep({
      ...{ db: database.db, retentionDays: RETENTION_DAYS, now: () => new Date(time) },
      dropFiles: async (names) => void dropped.push(...names),
    });
    let parts = 0;
    await upkeep.expire(async () => {
      parts += 1;
      return parts < 2;
    });
    // The oldest are deleted first.
    const { rows } = await database.db.execute(sql`select min(number)::int as first, count(*)::int as n from messages`);
    expect(rows).toEqual([{ first: 501, n: 700 }]);
    await restartAfter(0);
    await expired(0);
    expect(dropped).toEqual([]);
  });

  test('[HIST11] files that a crash or a backup left behind go with the next sweep', async () => {
    await sendImage();
    await sendImage();
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${BACKUP_LOCK})`);
      await restartAfter(31);
      await expired(0);
      expect(await count(messageFiles)).toBe(0);
      expect(await onDisk()).toHaveLength(4);
    });
    await restartAfter(0);
    expect(await onDisk()).toEqual([]);
  });

  test('[HIST10] without a retention nothing goes', async () => {
    await send(team.bo, 'one');
    await restartAfter(20_000, null);
    await restartAfter(0, null);
    expect(await count(messages)).toBe(1);
  });
});
