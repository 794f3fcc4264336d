import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { S3Config } from '#src/config/config.ts';

/** The folder where `scripts/python.ts` installs moto. */
const PLACE = join(import.meta.dirname, '../../node_modules/.cache/s3-server');
const BUCKET = 'pressel-test';

/** The bucket of an S3 server that the tests of files share; each test has a folder in it. */
export interface S3Server {
  readonly bucket: S3Config;
  /** Starts it again on the same port, empty, after a `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Parses the address of another server to test with: `http://KEY:SECRET@host:9000/bucket?region=garage`. Its bucket must exist.
 */
export function givenBucket(address: string): S3Config {
  const url = new URL(address);
  return {
    endpoint: url.origin,
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket: url.pathname.slice(1),
    prefix: '',
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}

/** A folder that no other test uses. */
export const ownFolder = (bucket: S3Config): S3Config => ({ ...bucket, prefix: `${randomUUID()}/` });

/** Starts moto, which keeps everything in memory; null where it isn't installed. */
export async function startS3(): Promise<S3Server | null> {
  if (!existsSync(join(PLACE, 'installed.txt'))) return null;
  let { child, port } = await begin('0');
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const keys = { accessKeyId: 'tests', secretAccessKey: 'not-a-secret' };
  return {
    bucket: { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket: BUCKET, prefix: '', ...keys },
    async start() {
      ({ child } = await begin(port));
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      process.off('exit', endWithUs);
    },
  };
}

async function begin(wanted: string): Promise<{ child: ChildProcess; port: string }> {
  const args = ['-c', 'from moto.server import main; main()', '-H', '127.0.0.1', '-p', wanted];
  const child = spawn(join(PLACE, 'bin/python'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`moto ended with ${code}`)));
  // The log of its requests is read too, so that its pipe never fills up.
  createInterface({ input: child.stderr }).on('line', (line) => {
    const said = /Running on http:\/\/127\.0\.0\.1:(\d+)/u.exec(line)?.[1];
    if (said !== undefined) resolve(said);
  });
  const port = await promise;
  const made = await fetch(`http://127.0.0.1:${port}/${BUCKET}`, { method: 'PUT' });
  if (!made.ok) throw new Error(`moto made no bucket: ${made.status}`);
  return { child, port };
}
