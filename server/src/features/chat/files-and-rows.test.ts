import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteMessage, getChannelMessages } from '@pressel/contract/chat';
import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database, Tx } from '#src/db/connect.ts';
import { BACKUP_LOCK } from '#src/db/locks.ts';
import { channelMembers } from '#src/db/schema/channels.ts';
import { messageFiles, messages } from '#src/db/schema/messages.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { openStrictDatabase, openTestDatabase } from '#test/test-database.ts';
import { postForm } from '#test/upload.ts';
import { waitUntil } from '#test/wait-until.ts';

const PHOTO = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#40a060' } })
  .jpeg()
  .toBuffer();

/** With several processes, one sweeps at a time, and not after each start [PROC31]; it spares what another may be storing. */
const NEXT_START = 'the start of a process that is alone sweeps everything';

describe('a file and its row', () => {
  let t: TestApp;
  let team: Team;
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase();
    t = await buildTestApp({ database });
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    await database.close();
  });

  const upload = () =>
    postForm(
      t.origin,
      [
        ['channelId', team.nord],
        ['image', PHOTO, 'x.jpg'],
      ],
      team.ana.token,
    );
  const onDisk = async () => {
    const folder = join(t.dataDir, 'files/messages');
    return existsSync(folder) ? (await readdir(folder)).filter((name) => name !== 'installation') : [];
  };
  const rows = async () => [await database.db.$count(messages), await database.db.$count(messageFiles)];
  /** Starts again as if the process had been killed. */
  const restart = async () => {
    const next = await buildTestApp({ database, config: { dataDir: t.dataDir } });
    await next.close();
  };
  /** Holds what `before` locks until `meanwhile` is done, then commits. */
  const holding = async (before: (tx: Tx) => Promise<unknown>, meanwhile: () => Promise<void>) => {
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: isHeld } = Promise.withResolvers<void>();
    const transaction = database.db.transaction(async (tx) => {
      await before(tx);
      isHeld();
      await done;
    });
    await held;
    await meanwhile();
    release();
    await transaction;
  };
  const isWaiting = async () => {
    const { rows: waiting } = await database.db.execute(sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return waiting.length > 0;
  };

  test('CHAT25: the files are there before the row, whole', async () => {
    let sent: Promise<unknown> = Promise.resolve();
    await holding(
      (tx) => tx.execute(sql`lock table message_files in exclusive mode`),
      async () => {
        sent = upload();
        await waitUntil(isWaiting);
        expect([(await onDisk()).length, await rows()]).toEqual([2, [0, 0]]);
      },
    );
    expect(await sent).toMatchObject({ status: 200 });
    expect(await rows()).toEqual([1, 1]);
    await restart();
    expect((await onDisk()).length).toBe(2);
  });

  test('CHAT5: who is removed while their image is being stored has neither row nor file stored', async () => {
    let sent: Promise<unknown> = Promise.resolve();
    await holding(
      (tx) => tx.delete(channelMembers),
      async () => {
        sent = upload();
        await waitUntil(isWaiting);
      },
    );
    expect(await sent).toMatchObject({ status: 403, body: { code: 'not_a_member' } });
    expect([await rows(), await onDisk()]).toEqual([[0, 0], []]);
  });

  test('CHAT25: a transaction that fails takes the files with it, and the number', async () => {
    await database.db.execute(sql`alter table activities add constraint no_images check (type <> 'image_send')`);
    try {
      expect((await upload()).status).toBe(500);
      expect([await rows(), await onDisk()]).toEqual([[0, 0], []]);
    } finally {
      await database.db.execute(sql`alter table activities drop constraint no_images`);
    }
    t.logLines.splice(0);
    expect((await upload()).body.message.number).toBe(1);
  });

  alone(NEXT_START).test(
    'CHAT25: when nobody knows whether the row was stored, the file waits for the next start',
    async () => {
      await upload();
      const before = await onDisk();
      // The connection is cut while the row is being stored.
      let sent: Promise<unknown> = Promise.resolve();
      await holding(
        (tx) => tx.execute(sql`lock table message_files in exclusive mode`),
        async () => {
          sent = upload();
          await waitUntil(isWaiting);
          await database.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`);
        },
      );
      expect(await sent).toMatchObject({ status: 503 });
      expect((await onDisk()).length).toBe(4);
      await restart();
      expect((await onDisk()).sort()).toEqual(before.sort());
    },
  );

  alone(NEXT_START).test(
    'CHAT27: while a backup runs, a deleted message’s file stays on the disk, unseen, until the next sweep',
    async () => {
      const { message } = (await upload()).body;
      await holding(
        (tx) => tx.execute(sql`select pg_advisory_xact_lock(${BACKUP_LOCK})`),
        async () => {
          expect((await t.call(deleteMessage, { msgId: message.id }, team.ana.token)).status).toBe(200);
          expect((await onDisk()).length).toBe(2);
          expect((await t.app.inject({ url: String(message.file?.path) })).statusCode).toBe(404);
          await restart();
          expect((await onDisk()).length).toBe(2);
        },
      );
      await restart();
      expect(await onDisk()).toEqual([]);
      const { body } = await t.call(getChannelMessages, { channelId: team.nord }, team.ana.token);
      expect(body.discussion).toEqual([]);
    },
  );

  alone('the database has one connection for its one process').test(
    'CHAT28: a sweep needs one connection, also while others have all the rest',
    async () => {
      const strict = await openStrictDatabase({ max: 1, connectionTimeoutMillis: 1_000 });
      const dataDir = await mkdtemp(join(tmpdir(), 'pressel-sweep-'));
      const options = { database: strict, config: { dataDir } };
      const first = await buildTestApp(options);
      const { ana, nord } = await makeTeam(first);
      const form = [
        ['channelId', nord],
        ['image', PHOTO, 'x.jpg'],
      ] as const;
      expect((await postForm(first.origin, form, ana.token)).status).toBe(200);
      await strict.db.execute(sql`delete from message_files`);
      await first.close();
      const next = await buildTestApp(options);
      expect(await readdir(join(dataDir, 'files/messages'))).toEqual(['installation']);
      await next.close();
      await strict.close();
      await rm(dataDir, { recursive: true });
    },
  );

  test('an upload whose message was deleted meanwhile does not come back', async () => {
    const clientId = '01900000-0000-7000-8000-000000000009';
    const again = () =>
      postForm(
        t.origin,
        [
          ['channelId', team.nord],
          ['clientId', clientId],
          ['image', PHOTO, 'x.jpg'],
        ],
        team.ana.token,
      );
    const { message } = (await again()).body;
    await t.call(deleteMessage, { msgId: message.id }, team.ana.token);
    expect(await again()).toMatchObject({ status: 404, body: { params: { what: 'message' } } });
    expect(await onDisk()).toEqual([]);
  });
});
