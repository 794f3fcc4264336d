import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseStartError } from './start-error.ts';

const execute = promisify(execFile);

/** The user that PostgreSQL's programs run as. */
export interface Identity {
  /** The command to start instead of a program: the program itself, or one that changes the user and then becomes it. */
  command(program: string, args: readonly string[]): { file: string; args: string[] };
  /** Options for `spawn`. Empty: the programs run as this process's user. */
  readonly spawn: { uid?: number; gid?: number };
  /** Gives a new folder to this user. */
  own(folder: string): Promise<void>;
}

const OURSELVES: Identity = {
  command: (program, args) => ({ file: program, args: [...args] }),
  spawn: {},
  own: async () => undefined,
};

/**
 * PostgreSQL refuses to run as root. Root therefore starts it
 * 1. as the data folder's owner, if that is another user already;
 * 2. in a user namespace (`unshare`) in which root has another user's number. Files stay root's, so nobody else on the
 *    machine can read them or connect, and programs under a closed home directory stay reachable;
 * 3. as `nobody`, where namespaces are forbidden (in most containers) and the programs and the data can be reached.
 * The third is the last, because other services may run as `nobody` too.
 * @param folder the data folder, which need not exist; the one above it must
 * @throws DatabaseStartError when this is root, and none of them is possible
 */
export async function chooseIdentity(
  programs: string,
  folder: string,
  isRoot = process.getuid?.() === 0,
): Promise<Identity> {
  if (!isRoot) return OURSELVES;
  const owner = existsSync(folder) ? await stat(folder) : null;
  if (owner !== null && owner.uid !== 0) return asUser(owner.uid, owner.gid);
  const nobody = await findNobody();
  const home = dirname(folder);
  const namespaced = inNamespace(nobody);
  if (await works(namespaced, programs, home)) return namespaced;
  const other = asUser(nobody.uid, nobody.gid);
  if (owner === null && (await works(other, programs, home))) return other;
  throw new DatabaseStartError(
    'Pressel was started as root, and PostgreSQL refuses to run as root; this machine offers no way around it. Start Pressel as an ordinary user to whom DATA_DIR belongs, or set DATABASE_URL.',
  );
}

interface User {
  uid: number;
  gid: number;
}

const asUser = (uid: number, gid: number): Identity => ({
  ...OURSELVES,
  spawn: { uid, gid },
  own: (folder) => chown(folder, uid, gid),
});

const inNamespace = ({ uid, gid }: User): Identity => ({
  ...OURSELVES,
  command: (program, args) => ({
    file: 'unshare',
    args: ['--user', `--map-user=${uid}`, `--map-group=${gid}`, program, ...args],
  }),
});

/** Finds a user with a name, which `initdb` asks for: `nobody`, or the first user that isn't root. */
async function findNobody(): Promise<User> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  const others = lines.filter(([, , uid]) => Number(uid) > 0);
  const [, , uid, gid] = others.find(([name]) => name === 'nobody') ?? others[0] ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

/** Whether this user can run the programs and reach the folder that holds the data. */
async function works(identity: Identity, programs: string, home: string): Promise<boolean> {
  const script = 'cd "$0" && exec "$1" --version';
  const { file, args } = identity.command('/bin/sh', ['-c', script, home, join(programs, 'postgres')]);
  try {
    await execute(file, args, { ...identity.spawn, timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
