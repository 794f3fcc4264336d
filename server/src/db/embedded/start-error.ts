import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export const diskFull = (): string => 'The disk that DATA_DIR is on is full. Make room, then start again.';

/** One sentence that says why `postgres` did not start, and what to do. @param said its last lines */
export async function startFailure(programs: string, folder: string, said: readonly string[]): Promise<string> {
  const text = said.join('\n');
  const other = /incompatible with server/u.test(text) ? await otherVersion(programs, folder) : null;
  if (other !== null) return other;
  if (/No space left on device/u.test(text)) return diskFull();
  if (/lock file ".*" already exists|shared memory block .* is still in use/u.test(text)) {
    return `Another PostgreSQL works in ${folder}. End it, then start again.`;
  }
  if (/wrong ownership|Permission denied|invalid permissions/u.test(text)) {
    return `${folder} belongs to another user, or is open to others. Start Pressel as its owner, or give it to this user (chown -R, chmod -R go=).`;
  }
  const reason = said.findLast((line) => /^(?:FATAL|PANIC):/u.test(line)) ?? said.at(-1) ?? 'it said nothing';
  return `PostgreSQL does not start on ${folder}: ${reason} The data was left as it is. ${DAMAGED}`;
}

/** PostgreSQL says the same of an unreadable control file: then the versions are equal, and this returns null. */
async function otherVersion(programs: string, folder: string): Promise<string | null> {
  const theirs = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  const { stdout } = await execute(join(programs, 'postgres'), ['--version']);
  const ours = /(\d+)\./u.exec(stdout)?.[1] ?? stdout.trim();
  if (theirs === ours) return null;
  return `${folder} was made by PostgreSQL ${theirs}, and this Pressel brings PostgreSQL ${ours}. Make a backup with the Pressel that made it (npm run backup), and restore it with this one (npm run restore).`;
}

/** The embedded database can't start. The message is a sentence that says what to do. */
export class DatabaseStartError extends Error {}

/** Says what to do about damaged data. A restore makes its own folder, and can't use one that doesn't open. */
export const DAMAGED = 'Move that folder away; then restore a backup, or begin with an empty one.';
