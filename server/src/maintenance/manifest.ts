import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { MaintenanceError } from './maintenance-error.ts';

export const MANIFEST = 'manifest.json';

const storedFile = z.object({
  /** Path below the backup's folder, with slashes. Line breaks are forbidden: they could hide a `..`. */
  file: z.string().regex(/^(?!\/)(?!.*\.\.)[^\\\p{Cc}]+$/u),
  bytes: z.int(),
  /** SHA-256, hexadecimal. */
  sha256: z.string(),
});
export type StoredFile = z.infer<typeof storedFile>;

/** What a backup holds. It is written last: a folder without it is no backup. */
export const manifest = z.object({
  format: z.literal(1),
  /** The version of Pressel that made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** How many migrations had been applied to the tables. */
  migrations: z.int().min(1),
  /** Ordered so that rows come after the rows they refer to. */
  tables: z.array(storedFile.extend({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
  /** Uploaded files, which are kept beside the database. */
  files: z.array(storedFile),
});
export type Manifest = z.infer<typeof manifest>;

/** @throws MaintenanceError when the folder holds no whole backup */
export async function readManifest(dir: string): Promise<Manifest> {
  const text = await readFile(join(dir, MANIFEST), 'utf8').catch(() => {
    throw new MaintenanceError(`${dir} holds no whole backup: it has no ${MANIFEST}.`);
  });
  const parsed = manifest.safeParse(tryJson(text));
  if (!parsed.success) throw new MaintenanceError(`${join(dir, MANIFEST)} is damaged, or of another kind of backup.`);
  for (const stored of [...parsed.data.tables, ...parsed.data.files]) await requireWhole(dir, stored);
  return parsed.data;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function requireWhole(dir: string, { file, sha256 }: StoredFile): Promise<void> {
  const found = await digestOf(createReadStream(join(dir, file))).catch(() => null);
  if (found?.sha256 !== sha256) {
    throw new MaintenanceError(`The backup is damaged: ${file} is ${found === null ? 'missing' : 'not what it was'}.`);
  }
}

/** Size and checksum of a stream's content. */
export async function digestOf(stream: AsyncIterable<Uint8Array>): Promise<Pick<StoredFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
