import { readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteMessage, sendMessage } from '@pressel/contract/chat';
import { updateUserPosition } from '@pressel/contract/positions';
import pg from 'pg';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#src/db/connect.ts';
import { OWNER_FILE } from '#src/files/owned-files.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { makeGivenDatabase } from '#test/test-database.ts';
import { postForm } from '#test/upload.ts';
import { writeBackup } from './backup.ts';
import type { Installation } from './connect.ts';
import { readStatus } from './status.ts';
import type { FileLocation } from './stored-files.ts';
import { verify } from './verify.ts';

const PHOTO = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#40a060' } })
  .jpeg()
  .toBuffer();
const NOBODY = uuidV7();

describe('keeping watch over an installation', () => {
  let installation: Installation & FileLocation;
  let database: Database;
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    const databaseUrl = await makeGivenDatabase();
    database = await openDatabase({ connectionString: databaseUrl }, (error) => expect.fail(String(error)));
    t = await buildTestApp({ database });
    installation = { databaseUrl, dataDir: t.dataDir, s3: null };
    team = await makeTeam(t);
    const { nord, ana } = team;
    for (const message of ['one', 'two', 'three']) {
      await t.call(sendMessage, { channelId: nord, message, clientId: uuidV7() } as never, ana.token);
    }
    await upload();
  });
  afterEach(async () => {
    await t.close();
    await database.close();
  });

  const upload = async (): Promise<string> => {
    const parts = [
      ['channelId', team.nord],
      ['image', PHOTO, 'x.jpg'],
    ] as const;
    const { body } = await postForm(t.origin, parts, team.ana.token);
    return body.message.id;
  };
  const look = () => verify(installation, 0);
  const folder = () => join(t.dataDir, 'files/messages');
  const imageFiles = async () => (await readdir(folder())).filter((name) => name !== OWNER_FILE);
  /** Does damage that otherwise only a bad disk or a manual restore can do. */
  const damage = async (statements: string) => {
    const client = new pg.Client({ connectionString: String(installation.databaseUrl) });
    await client.connect();
    await client.query(`set session_replication_role = replica; ${statements}`);
    await client.end();
  };

  test('[OPS7] finds nothing where all is well, also in an empty installation', async () => {
    expect(await look()).toEqual({ faults: [], notes: [] });
    const empty = { databaseUrl: await makeGivenDatabase(), dataDir: join(t.dataDir, 'none'), s3: null };
    expect(await verify(empty, 0)).toEqual({ faults: [], notes: [] });
  });

  test('[OPS7] is not misled by a server at work', async () => {
    // As many as one user may send at once.
    const working = (async () => {
      for (let n = 0; n < 8; n += 1) {
        const id = await upload();
        await t.call(updateUserPosition, { lat: 48, lng: 2 } as never, team.ana.token);
        await t.call(deleteMessage, { msgId: id } as never, team.ana.token);
      }
    })();
    for (let round = 0; round < 3; round += 1) expect((await look()).faults).toEqual([]);
    await working;
  });

  test('[OPS7] finds every kind of disagreement between rows, and indexes that lack some, without a name', async () => {
    const damages: [statements: string, fault: RegExp][] = [
      [`update users set role = 'member'`, /^no administrator/u],
      [`update users set photo_id = '${NOBODY}' where identifier like 'ana%'`, /^the photo .*: user /u],
      ['update messages set deleted_at = now()', /^a deleted message/u],
      ['update message_counters set newest = 2', /^the counter of messages/u],
      [
        'insert into message_marks (user_id, channel_id, read_up_to) select user_id, channel_id, 99 from messages limit 1',
        /^somebody read further/u,
      ],
      [
        `insert into message_reads select channel_id, user_id, n, 3, now() from messages, generate_series(1, 2) n
          where number = 1`,
        /^two ranges/u,
      ],
      ['delete from activities where id = (select id from activities limit 1)', /^the count of a day/u],
      [
        `insert into user_positions (user_id, recorded_at, lat, lng) values ('${NOBODY}', now(), 1, 2)`,
        /^rows of user_positions are of a user who is gone, .*: user /u,
      ],
      [
        `update pg_index set indisvalid = false where indexrelid = 'users_created_idx'::regclass`,
        /^an index or a constraint was left half made: index users_created_idx$/u,
      ],
      ['alter table activities disable trigger count_activities', /^a trigger is switched off/u],
      [
        `update channel_members set user_id = '${NOBODY}' where channel_id = '${team.sud}'`,
        /^rows of channel_members refer to what is not in users/u,
      ],
      [
        `update pg_index set indisready = false where indexrelid = 'messages_created_idx'::regclass;
        insert into messages (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
          select '${NOBODY}', channel_id, 1000, user_id, '', '', '${NOBODY}', now() from messages limit 1;
        update pg_index set indisready = true where indexrelid = 'messages_created_idx'::regclass`,
        /^index messages_created_idx is damaged: .*lacks/u,
      ],
    ];
    for (const [statements] of damages) await damage(statements);
    const { faults } = await look();
    expect(faults).toEqual(damages.map(([, fault]) => expect.stringMatching(fault)));
    for (const known of ['Ana', 'ana@example.org', 'Nord', 'three']) expect(faults.join()).not.toContain(known);
  });

  test('[OPS7] says that it left out the indexes where the role of DATABASE_URL may not have amcheck', async () => {
    await damage(
      `create role reader_of_${NOBODY.slice(-8)} login; grant pg_read_all_data to reader_of_${NOBODY.slice(-8)}`,
    );
    const databaseUrl = String(installation.databaseUrl).replace(/\/\/[^@]+@/u, `//reader_of_${NOBODY.slice(-8)}@`);
    expect(await verify({ ...installation, databaseUrl }, 0)).toEqual({
      faults: [],
      notes: [expect.stringMatching(/^indexes were not looked at: .*amcheck/u)],
    });
  });

  test('[OPS7] finds images that are gone, cut or not ours, and leaves those that the server removes', async () => {
    const names = (files: readonly string[]) => files.map((file) => file.replace(/(?:-small)?\.webp$/u, ''));
    const before = await imageFiles();
    await upload();
    const after = (await imageFiles()).filter((file) => !before.includes(file));
    await rm(join(folder(), before.find((file) => file.includes('-small')) ?? ''));
    await truncate(join(folder(), after.find((file) => !file.includes('-small')) ?? ''), 10);
    await writeFile(join(folder(), 'holiday.jpg'), 'x');
    const left = `${'0'.repeat(32)}.webp`;
    await writeFile(join(folder(), left), 'x');
    await utimes(join(folder(), left), 0, 0);
    await writeFile(join(folder(), `${'1'.repeat(32)}.webp`), 'about to get its row');
    expect(await look()).toEqual({
      faults: [
        `an image of a message is not there: ${names(before)[0]}`,
        `an image of a message has another size than was stored: ${names(after)[0]}`,
        'a file in messages is not Pressel’s: holiday.jpg',
      ],
      notes: [`files in messages without a row, which the server removes within hours: ${left}`],
    });
  });

  test('[OPS8] the status tells numbers: what is stored, who is there, which backup was the last', async () => {
    const before = await readStatus(installation, '1.2.3');
    expect(before).toContain('Version: 1.2.3');
    expect(before, 'FILE25').toContain(`\nDatabase: ${installation.databaseUrl}, PostgreSQL`);
    expect(before).toMatch(/^Database: \S+, PostgreSQL \d+, [\d.]+ MB, \d+ migrations, \d+ of \d+ connections$/mu);
    expect(before).toContain('Content: 4 users (1 administrators), 2 channels, 4 messages, ');
    expect(before).toMatch(/^Files: in \S+, 3, [\d.]+ k?B$/mu);
    expect(before).toMatch(/^Disk: [\d.]+ [GT]B left$/mu);
    expect(before).toContain('Last backup: none that is known');
    expect(before).toMatch(/^Signed in: 4 users with 4 sessions, 0 guests$/mu);

    await enterRoom(t, team.ana, 'Nord');
    await enterRoom(t, team.bo, 'Nord');
    await writeBackup(installation, `${t.dataDir}-backup`, '1.2.3');
    await rm(`${t.dataDir}-backup`, { recursive: true });
    const after = await readStatus(installation, '1.2.3');
    const processes = after.matchAll(/^Process [\da-f-]{36}: (\d+) participants in [01] rooms, seen \d+ s ago$/gmu);
    expect([...processes].reduce((sum, [, participants]) => sum + Number(participants), 0)).toBe(2);
    expect(after).toMatch(/^Last backup: \d+ s ago \(\d{4}-.*Z\)$/mu);
    for (const name of ['Ana', 'Nord', 'example.org']) expect(before + after).not.toContain(name);
  });
});
