import { deleteMessage, getChannelMessages, sendMessage } from '@pressel/contract/chat';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { S3Config } from '#src/config/config.ts';
import type { Database } from '#src/db/connect.ts';
import { openDatabase } from '#src/db/connect.ts';
import { messageFiles } from '#src/db/schema/messages.ts';
import { filesOf, MESSAGES_FOLDER } from '#src/features/chat/message-files.store.ts';
import type { FileStore } from '#src/files/file-store.ts';
import { OWNER_FILE } from '#src/files/owned-files.ts';
import { createBucket } from '#src/files/s3.ts';
import { readStatus } from '#src/maintenance/status.ts';
import { verify } from '#src/maintenance/verify.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { makeTeam, type Team } from './factories.ts';
import { ownFolder, type S3Server, startS3 } from './s3-server.ts';
import { makeGivenDatabase, openTestDatabase } from './test-database.ts';
import { postForm } from './upload.ts';

const PHOTO = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#40a060' } })
  .jpeg()
  .toBuffer();
const fileOf = ({ message }: Awaited<ReturnType<typeof postForm>>['body']) => {
  if (message.file === null) throw new Error('The message has no image');
  return message.file;
};
const quiet = { error: () => undefined, info: () => undefined };

describe.runIf(inject('s3') !== null)('an installation whose files are in an S3 store', () => {
  let s3: S3Config;
  let files: FileStore;
  let databaseUrl: string;
  let database: Database;
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    s3 = ownFolder(inject('s3') as S3Config);
    files = createBucket(s3, { log: quiet });
    databaseUrl = await makeGivenDatabase();
    database = await openDatabase({ connectionString: databaseUrl }, (error) => expect.fail(String(error)));
    t = await buildTestApp({ database, config: { s3 } });
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    await database.close();
    for await (const piece of files.list('')) await files.remove(piece.map(({ name }) => name));
    files.close();
  });

  const upload = async (token = team.ana.token) => {
    const parts = [
      ['channelId', team.nord],
      ['image', PHOTO, 'Holiday.jpg'],
    ] as const;
    return postForm(t.origin, parts, token);
  };
  const keys = async () => {
    const found: string[] = [];
    for await (const piece of files.list('')) found.push(...piece.map(({ name }) => name));
    return found.sort();
  };
  const open = (path: string) => t.app.inject({ url: path });

  test('FILE3: an image is stored there, opened through the server by its signed path, after a restart too', async () => {
    const { status, body } = await upload();
    expect(status).toBe(200);
    const [{ storedName } = { storedName: '' }] = await database.db.select().from(messageFiles);
    expect(await keys()).toEqual(
      [OWNER_FILE, ...filesOf(storedName)].map((file) => `${MESSAGES_FOLDER}/${file}`).sort(),
    );
    for (const path of [fileOf(body).path, fileOf(body).thumbnailPath]) {
      const response = await open(path);
      expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'image/webp']);
      expect(response.headers['content-length']).toBe(String(response.rawPayload.length));
      expect(await sharp(response.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 90 });
      expect(JSON.stringify(response.headers)).not.toContain(s3.bucket);
    }
    await t.close();
    t = await buildTestApp({ database, config: { s3 } });
    const { body: page } = await t.call(getChannelMessages, { channelId: team.nord }, team.bo.token);
    expect((await open(String(page.discussion[0]?.file?.path))).statusCode).toBe(200);
  });

  test('FILE2: nothing but an image of a message is opened by a path, whatever is in the bucket', async () => {
    const { body } = await upload();
    const path = new URL(fileOf(body).path, t.origin);
    await files.put('messages/private.webp', PHOTO);
    await files.put('secret', PHOTO);
    const [directory] = path.pathname.split(/[^/]+$/u);
    for (const file of [
      'private.webp',
      'installation',
      '..%2Fsecret',
      '%2e%2e/secret',
      '..%5csecret',
      'messages%2Fprivate.webp',
    ]) {
      expect((await open(`${directory}${file}${path.search}`)).statusCode, file).toBe(404);
    }
    expect((await open(path.pathname)).statusCode).toBe(404);
    // Users who aren't members get no path.
    expect((await t.call(getChannelMessages, { channelId: team.nord }, team.out.token)).status).toBe(403);
    expect((await upload(team.out.token)).status).toBe(403);
    expect((await upload('')).status).toBe(401);
  });

  test('CHAT24: with its message an image is gone from the bucket, and its signed path answers not_found', async () => {
    const { body } = await upload();
    await t.call(deleteMessage, { msgId: body.message.id }, team.ana.token);
    expect(await keys()).toEqual([`${MESSAGES_FOLDER}/${OWNER_FILE}`]);
    expect((await open(fileOf(body).path)).statusCode).toBe(404);
  });

  test('OPS7, OPS8: verify and status look into the bucket', async () => {
    const installation = { databaseUrl, dataDir: t.dataDir, s3 };
    const look = () => verify(installation, 0);
    await upload();
    await upload();
    expect(await look()).toEqual({ faults: [], notes: [] });
    expect(await readStatus(installation, '1.2.3')).toMatch(/^Files: in s3:\/\/\S+, 5, [\d.]+ k?B$/mu);
    const [gone, short] = await database.db.select().from(messageFiles);
    await files.remove([`messages/${gone?.storedName}-small.webp`]);
    await files.put(`messages/${short?.storedName}.webp`, PHOTO.subarray(0, 10));
    await files.put('messages/holiday.jpg', PHOTO);
    expect((await look()).faults).toEqual([
      `an image of a message is not there: ${gone?.storedName}`,
      `an image of a message has another size than was stored: ${short?.storedName}`,
      'a file in messages is not Pressel’s: holiday.jpg',
    ]);
  });
});

describe.runIf(inject('s3') !== null)('an S3 store that goes away', () => {
  test('FILE6, FILE8: images are unavailable, all else goes on; when it is back, so are they', async () => {
    const server = (await startS3()) as S3Server;
    const database = await openTestDatabase();
    const t = await buildTestApp({ database, config: { s3: server.bucket } });
    const team = await makeTeam(t);
    const send = () =>
      postForm(
        t.origin,
        [
          ['channelId', team.nord],
          ['image', PHOTO, 'x.jpg'],
        ],
        team.ana.token,
      );
    const ready = async () => (await t.app.inject({ url: '/readyz' })).json();
    try {
      const { body } = await send();
      expect(await ready()).toMatchObject({ status: 'ready', checks: { files: 'ok' } });
      await server.stop();
      const refused = await send();
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable', params: { retryAfterSeconds: 30 } } });
      const opened = await t.app.inject({ url: fileOf(body).path });
      expect([opened.statusCode, opened.headers['retry-after']]).toEqual([503, '30']);
      const text = { channelId: team.nord, message: 'still here', clientId: uuidV7() };
      expect((await t.call(sendMessage, text as never, team.ana.token)).status).toBe(200);
      expect((await t.call(deleteMessage, { msgId: body.message.id }, team.ana.token)).status).toBe(200);
      await expect.poll(ready, { timeout: 20_000 }).toMatchObject({ status: 'ready', checks: { files: 'failed' } });

      await server.start();
      await expect.poll(async () => (await send()).status, { timeout: 20_000 }).toBe(200);
      const events = t.logLines.map(({ msg }) => msg);
      expect(events.filter((msg) => msg === 'files_unavailable')).toHaveLength(1);
      expect(events).toContain('files_back');
      expect(JSON.stringify(t.logLines)).not.toContain(server.bucket.secretAccessKey);
    } finally {
      await t.close();
      await database.close();
      await server.stop();
    }
  });
});
