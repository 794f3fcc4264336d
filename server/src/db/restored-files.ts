import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { syncFolder } from '../shared/durable-files.ts';
import { MIGRATION_LOCK } from './locks.ts';

/** Exists while a restore has stored its rows and its files are not in place yet. No backup holds it. */
const MARK = 'drizzle.restored_files';

/** How a restore removes and renames folders of uploads. Tests cut the power between two of its steps. */
export const disk = { rename, rm };

/** Where uploads are, where a restore brings those of the backup, and where it puts those that it replaces. */
export function filePlaces(dataDir: string): { place: string; coming: string; going: string } {
  const place = join(dataDir, 'files');
  return { place, coming: `${place}.restored`, going: `${place}.replaced` };
}

/** Within the transaction of a restore: its files take their place with its rows, or at the next start. */
export const expectFiles = async (client: pg.Client): Promise<void> => {
  await client.query(`create table ${MARK} ()`);
};

/**
 * Puts the files of a restore in their place if its rows are stored. A restore that was interrupted between the two ends here,
 * however far it came: rows and files are never of different times for anybody who reads them.
 */
export async function takeRestoredFiles(client: pg.Client, dataDir: string): Promise<void> {
  // Servers that share a database share the folder, too.
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    const { rows } = await client.query<{ mark: string | null }>('select to_regclass($1)::text as mark', [MARK]);
    if (rows[0]?.mark == null) return;
    const { place, coming, going } = filePlaces(dataDir);
    // What a restore brings is always a folder, an empty one too: without it the files are in place.
    if (existsSync(coming)) {
      if (existsSync(place)) {
        await disk.rm(going, { recursive: true, force: true });
        await disk.rename(place, going);
      }
      await disk.rename(coming, place);
      await syncFolder(dataDir);
    }
    await disk.rm(going, { recursive: true, force: true });
    await client.query(`drop table ${MARK}`);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  }
}
