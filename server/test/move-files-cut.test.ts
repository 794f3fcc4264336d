import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { S3Config } from '#src/config/config.ts';
import { isPart } from '#src/files/file-store.ts';
import { withFiles } from '#src/maintenance/stored-files.ts';
import { maintain } from './installations.ts';
import { ownFolder } from './s3-server.ts';
import { makeGivenDatabase } from './test-database.ts';

const OWNERS = { 'messages/installation': Buffer.from('zoe'), 'photos/installation': Buffer.from('eoz') };
const COUNT = 60;
const FILE_BYTES = 50_000;
const TOTAL = COUNT + Object.keys(OWNERS).length;

/** Passes on what a client and the S3 store send each other, up to a number of bytes, and then nothing more. */
async function openGate(endpoint: string, bytes: number) {
  const { hostname, port } = new URL(endpoint);
  const sockets = new Set<Socket>();
  const full = Promise.withResolvers<void>();
  let passed = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from.on('error', () => undefined));
      from.on('close', () => to.destroy());
      from.on('data', (chunk) => {
        passed += chunk.length;
        if (passed <= bytes) to.write(chunk);
        else full.resolve();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, full: full.promise };
}

describe.skipIf(inject('s3') === null)('[FILE26] a move of files that is killed', () => {
  let dataDir: string;
  let bucket: { dataDir: string; s3: S3Config };
  let folder: { dataDir: string; s3: null };
  let databaseUrl: string;
  let files: Map<string, Buffer>;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pressel-cut-'));
    databaseUrl = await makeGivenDatabase();
    bucket = { dataDir, s3: ownFolder(inject('s3') as S3Config) };
    folder = { dataDir, s3: null };
    const names = Array.from(
      { length: COUNT },
      (_, index) => `${index % 2 === 0 ? 'messages' : 'photos'}/${index}.webp`,
    );
    files = new Map([...Object.entries(OWNERS), ...names.map((name) => [name, randomBytes(FILE_BYTES)] as const)]);
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  type Place = typeof bucket | typeof folder;
  const put = (place: Place) =>
    withFiles(place, async (store) => {
      for (const [name, content] of files) await store.put(name, content);
    });
  /** The checksum of each whole file in a store. */
  const sumsOf = (place: Place) =>
    withFiles(place, async (store) => {
      const sums = new Map<string, string>();
      for await (const piece of store.list('')) {
        for (const { name } of piece) {
          const found = isPart(name) ? null : await store.get(name);
          if (found !== null) sums.set(name, sumOf(await buffer(found.stream)));
        }
      }
      return sums;
    });
  const sumOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
  const expected = () => new Map([...files].map(([name, content]) => [name, sumOf(content)]));
  const sorted = (sums: Map<string, string>) => Object.fromEntries([...sums].sort());

  const run = (endpoint: string, ...options: string[]) =>
    maintain(
      {
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        FILES_URL: `s3://${bucket.s3.bucket}/${bucket.s3.prefix}`.replace(/\/$/u, ''),
        AWS_ENDPOINT_URL_S3: endpoint,
        AWS_REGION: bucket.s3.region,
        AWS_ACCESS_KEY_ID: bucket.s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: bucket.s3.secretAccessKey,
      },
      'admin',
      'move-files',
      ...options,
    );

  test.each([
    ['to the bucket', []],
    ['back to the folder', ['--back']],
  ])('on its way %s goes on where it was: each file is there once, with its content', async (_way, options) => {
    const [from, to] = options.length === 0 ? [folder, bucket] : [bucket, folder];
    await put(from);
    // Some files, and not all.
    const gate = await openGate(bucket.s3.endpoint, (COUNT * FILE_BYTES) / 2);
    const { child, ended } = run(gate.endpoint, ...options);
    const early = ended.then(({ said }) => Promise.reject(new Error(`It ended before: ${said}`)));
    await Promise.race([gate.full, early]);
    early.catch(() => undefined);
    child.kill('SIGKILL');
    expect((await ended).status).toBe('SIGKILL');

    const half = await sumsOf(to);
    expect(half.size).toBeGreaterThan(0);
    expect(half.size).toBeLessThan(TOTAL);
    // All files that are there are whole, and nothing was taken away.
    for (const [name, sum] of half) expect(sum, name).toBe(expected().get(name));
    expect(sorted(await sumsOf(from))).toEqual(sorted(expected()));

    const again = await run(bucket.s3.endpoint, ...options).ended;
    expect(again.status, again.said).toBe(0);
    expect(again.said).toContain(`${TOTAL} files of 4 MB are there, all compared; ${TOTAL - half.size} of them were`);
    expect(sorted(await sumsOf(to))).toEqual(sorted(expected()));
    const third = await run(bucket.s3.endpoint, ...options).ended;
    expect(third.said).toContain(`; 0 of them were brought now`);
  });

  test('after all was removed from where it was has nothing left to do', async () => {
    await put(folder);
    expect((await run(bucket.s3.endpoint, '--remove').ended).status).toBe(0);
    expect(await sumsOf(folder)).toEqual(new Map());
    // An operator who doesn't know whether it ended runs it again.
    const again = await run(bucket.s3.endpoint, '--remove').ended;
    expect(again.status, again.said).toBe(0);
    expect(again.said).toContain('0 files');
    // One of the files that name the owner was left.
    await withFiles(folder, (store) => store.put('photos/installation', OWNERS['photos/installation']));
    const last = await run(bucket.s3.endpoint, '--remove').ended;
    expect(last.status, last.said).toBe(0);
    expect(await sumsOf(folder)).toEqual(new Map());
    expect(sorted(await sumsOf(bucket))).toEqual(sorted(expected()));
  });
});
