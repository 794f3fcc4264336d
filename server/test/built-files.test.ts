import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { loadSecrets } from '#src/accounts/secrets.ts';
import type { Database } from '#src/db/connect.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { hasRedis } from './cluster.ts';
import { openTestDatabase } from './test-database.ts';

const SCRIPT = 'export const build = "old";'.repeat(200);

/** Two processes of one installation, with two builds of the web app. */
describe.skipIf(!hasRedis)('[PROC93] built files of another build', () => {
  let dir: string;
  let database: Database;
  let older: TestApp;
  let newer: TestApp;
  const start = async (build: string, files: Record<string, string | Buffer>) => {
    const webDir = join(dir, build);
    await mkdir(join(webDir, 'assets'), { recursive: true });
    await writeFile(join(webDir, 'index.html'), `<meta name="build" content="${build}">`);
    for (const [name, content] of Object.entries(files)) await writeFile(join(webDir, 'assets', name), content);
    return buildTestApp({ database, webDir, config: { redisUrl: String(inject('redis')) } });
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pressel-builds-'));
    database = await openTestDatabase();
    older = await start('older', {
      'app-older111.js': SCRIPT,
      'app-older111.js.gz': gzipSync(SCRIPT),
      'app-older222.css': 'p { color: red }',
      'font-older333.woff2': Buffer.from([0, 255, 1, 254]),
    });
    newer = await start('newer', { 'app-newer111.js': 'export const build = "new";' });
  });
  afterEach(async () => {
    await Promise.all([older.close(), newer.close()]);
    await database.close();
    await rm(dir, { recursive: true, force: true });
  });
  const get = (t: TestApp, url: string) => t.app.inject({ url });

  test('come from either process, with the headers of its own', async () => {
    for (const [owner, other, path] of [
      [older, newer, '/assets/app-older111.js'],
      [older, newer, '/assets/app-older222.css'],
      [older, newer, '/assets/font-older333.woff2'],
      [newer, older, '/assets/app-newer111.js'],
    ] as const) {
      const [own, shared] = await Promise.all([get(owner, path), get(other, path)]);
      expect(shared.statusCode, path).toBe(200);
      expect(shared.rawPayload).toEqual(own.rawPayload);
      for (const header of ['content-type', 'cache-control', 'content-security-policy', 'x-content-type-options'])
        expect(shared.headers[header], `${header} of ${path}`).toBe(own.headers[header]);
    }
  });

  test('can be had after their last process has ended: pages of that build are still open', async () => {
    await older.stop();
    expect((await get(newer, '/assets/app-older111.js')).body).toBe(SCRIPT);
  });

  test.each([
    '/assets/app-nobody1.js',
    '/assets/app-older111.js.gz',
    '/assets/..%2findex.html',
    '/assets/.env.js',
    '/assets/a/app-older111.js',
  ])('%s is nobody’s', async (path) => {
    expect((await get(newer, path)).statusCode).toBe(404);
  });

  test('that somebody else put into Redis are not served', async () => {
    const { createClient } = await import('@redis/client');
    const redis = await createClient({ url: String(inject('redis')) }).connect();
    const { installation, builtFiles } = await loadSecrets(database.db);
    const keyOf = (name: string) => `pressel:${installation.toString('hex', 0, 8)}:built:${name}`;
    const packed = gzipSync('alert(1)');
    const sign = (name: string, key: Buffer) => createHmac('sha256', key).update(`${name}\n`).update(packed).digest();
    const put = (name: string, signature: Buffer) =>
      redis.set(keyOf(name), Buffer.concat([signature, packed]).toString('base64'));
    await put('app-forged11.js', sign('app-forged11.js', Buffer.alloc(32)));
    // A file under the name of another one.
    await put('app-forged22.js', sign('app-other.js', builtFiles));
    await redis.set(keyOf('app-forged33.js'), 'short');
    await put('app-genuine1.js', sign('app-genuine1.js', builtFiles));
    redis.destroy();
    for (const name of ['app-forged11.js', 'app-forged22.js', 'app-forged33.js'])
      expect((await get(newer, `/assets/${name}`)).statusCode, name).toBe(404);
    expect((await get(newer, '/assets/app-genuine1.js')).body).toBe('alert(1)');
  });
});
