import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseStartError } from './start-error.ts';

const execute = promisify(execFile);

/** As whom PostgreSQL's programs run. */
export interface Identity {
  /** What to start instead of a program: itself, or something that changes the user and then becomes it. */
  command(program: string, args: readonly string[]): { file: string; args: string[] };
  /** For `spawn`. Empty: as this process. */
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
 * 1. as the owner of a data folder that is another's already;
 * 2. in a user namespace (`unshare`) in which root has the number of another user: files stay root's, so that nobody
 *    else on the machine can read them or connect, and programs under a closed home directory are reached;
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

/** A user that has a name, for `initdb` asks for it: `nobody`, or the first who is not root. */
async function findNobody(): Promise<User> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  const others = lines.filter(([, , uid]) => Number(uid) > 0);
  const [, , uid, gid] = others.find(([name]) => name === 'nobody') ?? others[0] ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

/** Whether this user can run the programs and reach the folder in which the data lies. */
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
