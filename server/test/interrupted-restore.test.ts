import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#src/db/connect.ts';
import { expectFiles, hasRestoredFiles } from '#src/db/restored-files.ts';
import { buildTestApp } from './build-test-app.ts';
import { makeGivenDatabase } from './test-database.ts';

/** The files that a restore replaces with its rows. It was interrupted before it came to that. */
const FILES = [
  { name: 'messages/a.webp', content: Buffer.from('of the backup') },
  { name: 'photos/b', content: Buffer.from([0, 255, 10]) },
];

describe('[FILE31] a server that finds an interrupted restore', () => {
  let dataDir: string;
  let database: Database;
  let client: pg.Client;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pressel-interrupted-'));
    const connectionString = await makeGivenDatabase();
    database = await openDatabase({ connectionString }, (error) => expect.fail(String(error)));
    client = new pg.Client({ connectionString });
    await client.connect();
    await expectFiles(client, FILES);
    await mkdir(join(dataDir, 'files/messages'), { recursive: true });
    await writeFile(join(dataDir, 'files/messages/a.webp'), 'of before');
  });
  afterEach(async () => {
    await client.end();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = (more: Partial<NonNullable<Parameters<typeof buildTestApp>[0]>['config']> = {}) =>
    buildTestApp({ database, config: { dataDir, ...more } });
  const stored = async (name: string) => readFile(join(dataDir, 'files', name));

  test('ends it before it serves anybody, once', async () => {
    const t = await start();
    for (const { name, content } of FILES) expect(await stored(name)).toEqual(content);
    expect(await hasRestoredFiles(client)).toBe(false);
    await t.close();
    await writeFile(join(dataDir, 'files/messages/a.webp'), 'of later');
    await (await start()).close();
    expect(String(await stored('messages/a.webp'))).toBe('of later');
  });

  test('does not start where it can’t write the files, and changes nothing; the next start ends it', async () => {
    const obstacle = join(dataDir, 'files/photos/b');
    await mkdir(obstacle, { recursive: true });
    await expect(start()).rejects.toThrow('EISDIR');
    expect(await hasRestoredFiles(client)).toBe(true);
    await rm(obstacle, { recursive: true });
    await (await start()).close();
    expect(await stored('photos/b')).toEqual(FILES[1]?.content);
    expect(await hasRestoredFiles(client)).toBe(false);
  });

  test('serves meanwhile if its S3 store is away, and the next start ends it', async () => {
    // A port that nobody listens on any more.
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const address = closed.address();
    const port = typeof address === 'object' ? address?.port : 0;
    closed.close();
    const s3 = {
      ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket: 'away', prefix: '' },
      ...{ accessKeyId: 'tests', secretAccessKey: 'not-a-secret' },
    };
    const t = await start({ s3 });
    expect((await t.app.inject('/healthz')).statusCode).toBe(200);
    expect(t.logLines.map(({ msg }) => msg)).toContain('restored_files_wait');
    expect(await hasRestoredFiles(client)).toBe(true);
    await t.close();
    await (await start()).close();
    expect(await hasRestoredFiles(client)).toBe(false);
    expect(await readdir(join(dataDir, 'files/messages'))).toContain('a.webp');
  });
});
