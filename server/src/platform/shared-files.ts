import { createHmac, timingSafeEqual } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import { FilesStartError, PART_ENDING } from '#src/files/file-store.ts';
import { builtName } from '#src/http/web-app.ts';
import type { Redis } from '#src/processes/redis.ts';
import type { Platform } from './platform.ts';

/** How long a build's files can be had after its last process has ended, seconds. */
const KEPT_S = 86_400;
/** How often a process makes sure that its files are there, ms: Redis may have lost them. */
const PUT_EVERY_MS = 600_000;
/** Files that are put at once. */
const AT_ONCE = 32;
/** The name of a built file, with the hash of its content. */
const FILE_NAME = /^[\w~-][\w.~-]{1,200}$/u;
/** The build's compressed copies of other files. */
const COPY = /\.(?:br|gz)$/u;
const SIGNATURE_BYTES = 32;

/** Finds a built file by its name; null: no build had such a file lately, or Redis is away. */
type FindBuiltFile = (name: string) => Promise<Buffer | null>;

/** The built files of the web app, as processes of several builds share them in Redis. */
interface BuiltFiles {
  /** Puts this build's files there, for the other processes. */
  put(): Promise<void>;
  find: FindBuiltFile;
}

/**
 * Shares this process's built files with those of other builds: a page may ask any of them for its files [PROC93].
 * @returns null: this process is alone, or has no built app
 */
export async function shareBuiltFiles(
  { shared, secrets, schedule, log }: Pick<Platform, 'shared' | 'secrets' | 'schedule' | 'log'>,
  webDir: string | null,
): Promise<FindBuiltFile | null> {
  if (shared === null || webDir === null || builtName(webDir) === null) return null;
  const { put, find } = createBuiltFiles(shared.redis, secrets.builtFiles, webDir);
  await put().catch((error: unknown) => log.warn({ err: error }, 'built_files_not_shared'));
  schedule.every(PUT_EVERY_MS, 'built_files', put, { by: 'each' });
  return find;
}

/**
 * @param key signs the files: browsers run them, and others may be able to write to this Redis
 * @param webDir the built web app of this process
 */
function createBuiltFiles({ client, prefix }: Redis, key: Buffer, webDir: string): BuiltFiles {
  const folder = join(webDir, 'assets');
  const keyOf = (name: string): string => `${prefix}built:${name}`;
  const signatureOf = (name: string, packed: Uint8Array): Buffer =>
    createHmac('sha256', key).update(`${name}\n`).update(packed).digest();

  async function putOne(name: string, hasCopy: boolean): Promise<void> {
    // Files that several builds have are put once.
    if ((await client.expire(keyOf(name), KEPT_S)) === 1) return;
    const path = join(folder, name);
    const packed = hasCopy ? await readFile(`${path}.gz`) : await promisify(gzip)(await readFile(path));
    const value = Buffer.concat([signatureOf(name, packed), packed]).toString('base64');
    await client.set(keyOf(name), value, { expiration: { type: 'EX', value: KEPT_S } });
  }

  return {
    async put() {
      const names = await readdir(folder);
      const copies = new Set(names.filter((name) => COPY.test(name)));
      const files = names.filter((name) => !copies.has(name));
      for (let start = 0; start < files.length; start += AT_ONCE) {
        const some = files.slice(start, start + AT_ONCE);
        await Promise.all(some.map((name) => putOne(name, copies.has(`${name}.gz`))));
      }
    },

    async find(name) {
      if (!FILE_NAME.test(name) || !client.isReady) return null;
      const value = await client.get(keyOf(name)).catch(() => null);
      if (value === null) return null;
      const bytes = Buffer.from(value, 'base64');
      const [signature, packed] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
      if (signature.length < SIGNATURE_BYTES || !timingSafeEqual(signature, signatureOf(name, packed))) return null;
      return promisify(gunzip)(packed);
    },
  };
}

/** Names a file, and the process that put it there. */
const lookingFor = z.object({ by: z.string(), name: z.string() });

/**
 * Lets processes without a bucket find out whether they have the same folder (FILE11). Each answers whether it has a file that
 * another one has just stored. Processes that run have compared their folders, so one answer is enough.
 * @returns compares this process's folder with that of the others. @throws FilesStartError: it is another one
 */
export function compareFolders({
  askAll,
  files,
  processId,
  log,
}: Pick<Platform, 'askAll' | 'files' | 'processId' | 'log'>): () => Promise<void> {
  const ask = askAll('files.seen', lookingFor, ({ by, name }) =>
    by === processId ? null : files.head(name).then((found) => ({ isHere: found !== null })),
  );
  return async () => {
    // By this ending no backup includes it, if a crash leaves it behind.
    const name = `probes/${processId}${PART_ENDING}`;
    try {
      await files.put(name, Buffer.from(processId));
      // Processes of an earlier version don't answer.
      const answer = await ask({ by: processId, name });
      if (answer?.isHere === false) throw new FilesStartError(OTHER_FOLDER);
    } catch (error) {
      if (error instanceof FilesStartError) throw error;
      // A full disk, or a Redis that is away: the others start with that, too.
      log.warn({ err: error }, 'folders_not_compared');
    } finally {
      await files.remove([name]).catch(() => undefined);
    }
  };
}

const OTHER_FOLDER =
  'DATA_DIR/files is not the folder of the processes that run on this database: give all of them the same folder as DATA_DIR, or keep the files in a bucket (FILES_URL).';
