/** The commands of `maintain.ts`: see USAGE. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, readConfig } from '../server/src/config/config.ts';
import { DataInUseError } from '../server/src/db/data-lock.ts';
import { DatabaseStartError } from '../server/src/db/embedded/start-error.ts';
import { recordActivities } from '../server/src/features/activities/activities.repository.ts';
import { FilesStartError } from '../server/src/files/file-store.ts';
import { OWNER_FILE } from '../server/src/files/owned-files.ts';
import { errorText } from '../server/src/logs/log.ts';
import { createAdmin, resetPassword } from '../server/src/maintenance/accounts.ts';
import { type Manifest, writeBackup } from '../server/src/maintenance/backup.ts';
import { type Installation, MaintenanceError } from '../server/src/maintenance/connect.ts';
import { moveBack, moveDatabase } from '../server/src/maintenance/move-database.ts';
import { moveFiles } from '../server/src/maintenance/move-files.ts';
import { restoreBackup } from '../server/src/maintenance/restore.ts';
import { readStatus } from '../server/src/maintenance/status.ts';
import { FILE_KINDS, verify } from '../server/src/maintenance/verify.ts';
import { onUncaught } from '../server/src/process.ts';

const USAGE = `npm run backup -- DIR                     writes a backup into a new folder, also while Pressel runs
npm run restore -- DIR [--replace]        restores the database from a backup, while Pressel is stopped
npm run admin -- reset-password LOGIN     gives an account a new password, and prints it
npm run admin -- create-admin LOGIN       makes an administrator, and prints the password
npm run admin -- status                   says what is stored and what goes on, also while Pressel runs
npm run admin -- verify                   looks whether database, files and indexes agree, also while Pressel runs
npm run admin -- move-to postgres://…    moves everything but files into another, empty database, while Pressel is stopped
npm run admin -- move-back                uses the database again that it was moved from, as it was then
npm run admin -- move-files [--back] [--remove]
                                          brings all files from DATA_DIR to FILES_URL, or back, and compares them`;

const said = ({ tables, files, createdAt }: Manifest): string => {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${tables.length} tables, ${rows} rows, ${files.length} files, of ${createdAt}`;
};

async function maintain(args: readonly string[]): Promise<string> {
  const [command, first = '', second, ...more] = args;
  if (command === 'admin' && first === 'move-files') return movedFiles(args.slice(2));
  // No folder is called like an option: `--help` asks for something else.
  if (more.length > 0 || first === '' || first.startsWith('-')) return USAGE;
  const installation = readConfig();
  if (command === 'backup' && second === undefined) {
    return `Backup written: ${said(await writeBackup(installation, resolve(first), ownVersion()))}.`;
  }
  if (command === 'restore' && (second === undefined || second === '--replace')) {
    const manifest = await restoreBackup(installation, resolve(first), { replace: second === '--replace' });
    return `Restored: ${said(manifest)}. Everybody signs in again.`;
  }
  if (command === 'admin' && first === 'reset-password' && second !== undefined) {
    return `The new password of ${second}: ${await resetPassword(installation, recordActivities, second)}`;
  }
  if (command === 'admin' && first === 'create-admin' && second !== undefined) {
    return `The password of ${second}: ${await createAdmin(installation, recordActivities, second)}`;
  }
  if (command === 'admin' && first === 'status' && second === undefined) return readStatus(installation, ownVersion());
  if (command === 'admin' && first === 'verify' && second === undefined) return verified(installation);
  if (command === 'admin' && first === 'move-to' && second !== undefined) return moved(installation, second);
  if (command === 'admin' && first === 'move-back' && second === undefined) {
    await moveBack(installation);
    return 'This database is used again. What was stored in the other one since is not in it.';
  }
  return USAGE;
}

const ownVersion = (): string => JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version;

async function moved(installation: Installation, url: string): Promise<string> {
  const { tables, rows, address } = await moveDatabase(installation, url, (line) => console.log(line));
  return [
    `Moved and compared: ${tables} tables, ${rows} rows. Nobody has to sign in again.`,
    `Set DATABASE_URL=${address} (with the password, if there is one), keep DATA_DIR, and start Pressel.`,
    'The database from before is as it was. No Pressel starts on it, unless you run `npm run admin -- move-back` with its environment.',
  ].join('\n');
}

async function movedFiles(options: readonly string[]): Promise<string> {
  const [isBack, removes] = [options.includes('--back'), options.includes('--remove')];
  if (options.length !== Number(isBack) + Number(removes)) return USAGE;
  const say = (line: string) => console.log(line);
  const ownerFiles = FILE_KINDS.map(({ folder }) => `${folder}/${OWNER_FILE}`);
  const { files, bytes, brought } = await moveFiles(readConfig(), { isBack, removes, ownerFiles, say });
  return [
    `${files} files of ${Math.ceil(bytes / 1_000_000)} MB are there, all compared; ${brought} of them were brought now.`,
    ...(removes
      ? ['They are removed from where they were.']
      : ['If Pressel ran meanwhile, stop it and run the command again: it brings what was stored since.']),
    isBack ? 'Start Pressel without FILES_URL.' : 'Start Pressel with FILES_URL.',
  ].join('\n');
}

async function verified(installation: Installation): Promise<string> {
  const { faults, notes } = await verify(installation);
  if (faults.length > 0) process.exitCode = 1;
  const verdict = faults.length === 0 ? 'Everything agrees.' : `${faults.length} faults:`;
  return [verdict, ...faults.map((fault) => `- ${fault}`), ...notes.map((note) => `(${note})`)].join('\n');
}

const isMendable = (error: unknown): error is Error =>
  [MaintenanceError, DataInUseError, FilesStartError, DatabaseStartError, ConfigError].some(
    (kind) => error instanceof kind,
  ) ||
  (error instanceof Error && 'code' in error);

// The work under way is one transaction, and our own PostgreSQL ends with this process.
onUncaught((error) => {
  console.error(errorText(error));
  process.exit(1);
});

try {
  const answer = await maintain(process.argv.slice(2));
  console.log(answer);
  if (answer === USAGE) process.exitCode = 1;
} catch (error) {
  console.error(isMendable(error) ? error.message : errorText(error));
  process.exitCode = 1;
}
