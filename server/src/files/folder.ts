import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { syncFolder } from '#src/shared/durable-files.ts';
import { type FileStore, LIST_PIECE, partOf, requireName, type StoredFile, unavailable } from './file-store.ts';

/** Errors of a full disk, or of a used-up quota. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The files of an installation in its data folder, below `files`. Folders are made when needed. */
export function createFolder(dataDir: string, log: Pick<FastifyBaseLogger, 'warn'>): FileStore {
  const root = join(dataDir, 'files');

  const pathOf = (name: string): string => {
    requireName(name);
    return join(root, name);
  };

  async function makeFolder(folder: string): Promise<void> {
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) === undefined) return;
    for (let made = folder; made !== dataDir; made = dirname(made)) await syncFolder(dirname(made));
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    await makeFolder(dirname(path));
    const part = partOf(path);
    try {
      const handle = await open(part, 'w', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true }).catch((failure: unknown) => log.warn({ err: failure }, 'file_not_removed'));
      throw error;
    }
    await syncFolder(dirname(path));
  }

  async function infoOf(path: string): Promise<Omit<StoredFile, 'name'> | null> {
    const info = await stat(path).catch(absent);
    return info === null ? null : { bytes: info.size, modifiedAt: info.mtime };
  }

  /** Names of all files below a folder. */
  async function* namesBelow(folder: string): AsyncGenerator<string> {
    const entries = await opendir(join(root, folder), { bufferSize: LIST_PIECE }).catch(absent);
    if (entries === null) return;
    for await (const entry of entries) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* namesBelow(name);
      else yield name;
    }
  }

  /** Describes those of the files that still exist. */
  async function described(names: readonly string[]): Promise<StoredFile[]> {
    const found = await Promise.all(names.map(async (name) => ({ name, info: await infoOf(join(root, name)) })));
    return found.flatMap(({ name, info }) => (info === null ? [] : { name, ...info }));
  }

  return {
    async put(name, bytes) {
      try {
        await write(pathOf(name), bytes);
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (!FULL.has(code)) throw error;
        log.warn({ err: error }, 'disk_full');
        throw unavailable(error);
      }
    },

    async get(name) {
      const path = pathOf(name);
      const found = await open(path).catch(absent);
      if (found === null) return null;
      const { size } = await found.stat();
      return { stream: createReadStream(path, { fd: found }), bytes: size };
    },

    head: async (name) => infoOf(pathOf(name)),

    async remove(names) {
      for (const name of names) await rm(pathOf(name), { force: true });
    },

    async *list(folder) {
      if (folder !== '') requireName(folder);
      let names: string[] = [];
      for await (const name of namesBelow(folder)) {
        names.push(name);
        if (names.length < LIST_PIECE) continue;
        yield await described(names);
        names = [];
      }
      if (names.length > 0) yield await described(names);
    },

    async ping() {
      await makeFolder(root);
    },

    close: () => undefined,
  };
}

/** Returns null for a missing file. */
function absent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
