import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Call } from '@pressel/contract/call';
import type { ClientEvent, ServerEvent } from '@pressel/contract/socket';
import * as z from 'zod';

/** The sources of a release's server. */
const SOURCES = ['package.json', 'package-lock.json', 'server', 'packages'];
/** The sources of its web app. Most tests leave them out, because they have their own clients. */
const WEB_SOURCES = ['web', 'tsconfig.base.json'];
/** How long npm may take to install the last release's packages, ms. */
const INSTALL_MS = 300_000;
/** How long the build of its web app may take on a busy machine, ms. */
const BUILD_MS = 480_000;
const here = join(import.meta.dirname, '../..');

const lastRelease = z.object({ commit: z.string().regex(/^[0-9a-f]{40}$/u) });
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), dev: z.boolean().optional(), optional: z.boolean().optional() }),
  ),
});

/** The sources of the last release, ready to be run. */
export interface LastRelease {
  readonly commit: string;
  readonly root: string;
  remove(): Promise<void>;
}

/** Whether this clone has the last release. If not, it says so once, and fails in CI. */
export async function hasLastRelease(): Promise<boolean> {
  try {
    git('cat-file', '-e', `${await commitOfLastRelease()}^{commit}`);
    return true;
  } catch {
    const missing =
      'The history of git is missing or cut off (git fetch --unshallow): the tests beside the last release did not run';
    if (process.env.CI !== undefined) throw new Error(missing);
    process.stderr.write(`${missing}\n`);
    return false;
  }
}

/**
 * Takes the last release out of git. It uses this tree's packages if their versions match, else npm installs its own.
 * @param options.hasPages its processes serve its web app too. The first time that is built, which takes a minute or more.
 */
export async function openLastRelease({ hasPages = false }: { hasPages?: boolean } = {}): Promise<LastRelease> {
  const root = await mkdtemp(join(tmpdir(), 'pressel-last-release-'));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    const commit = await commitOfLastRelease();
    const archive = git('archive', '--format=tar', commit, ...SOURCES, ...(hasPages ? WEB_SOURCES : []));
    execFileSync('tar', ['-x', '-C', root], { input: archive });
    if (await isServedBy(here, root, hasPages)) await shareModules(root);
    else await installModules(root, hasPages);
    if (hasPages) await addPages(root, commit);
    return { commit, root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The contract of pages of the last release: the answers and events that they can read, and what they send. */
export interface OlderContract {
  readonly calls: Readonly<Record<string, Call>>;
  readonly sent: Readonly<Record<string, ClientEvent>>;
  readonly received: Readonly<Record<string, ServerEvent>>;
  /** Its examples, by the name of the call or event; the others are made from the schemas. */
  readonly examples: Readonly<Record<string, unknown>>;
}

/** Takes the contract of the last release out of git. Its packages are those of this tree. */
export async function openContractOfLastRelease(): Promise<OlderContract> {
  const root = await mkdtemp(join(tmpdir(), 'pressel-last-contract-'));
  try {
    const archive = git('archive', '--format=tar', await commitOfLastRelease(), 'packages/contract/src');
    execFileSync('tar', ['-x', '-C', root], { input: archive });
    await symlink(join(here, 'node_modules'), join(root, 'node_modules'));
    const sources = join(root, 'packages/contract/src');
    const modules: Record<string, unknown>[] = [];
    for (const file of await readdir(sources)) {
      if (file.endsWith('.ts') && !file.endsWith('.test.ts'))
        modules.push(await import(pathToFileURL(join(sources, file)).href));
    }
    const exported: Record<string, unknown> = Object.assign({}, ...modules);
    const calls = Object.entries(exported).filter(([, value]) => isCall(value));
    return {
      calls: Object.fromEntries(calls) as OlderContract['calls'],
      sent: exported.clientEvents as OlderContract['sent'],
      received: exported.serverEvents as OlderContract['received'],
      examples: { ...Object(exported.CALL_EXAMPLES), ...Object(exported.EVENT_EXAMPLES) },
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const isCall = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'reply' in value;

/** The file names of its migrations. */
export async function migrationsOfLastRelease(): Promise<string[]> {
  const listed = git('ls-tree', '--name-only', await commitOfLastRelease(), 'server/src/db/migrations/').toString();
  return listed.split('\n').map((path) => basename(path));
}

const commitOfLastRelease = async (): Promise<string> =>
  lastRelease.parse(JSON.parse(await readFile(join(import.meta.dirname, 'last-release.json'), 'utf8'))).commit;

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: here, maxBuffer: 512 * 1_024 * 1_024, stdio: ['ignore', 'pipe', 'pipe'] });

/** Puts the built web app into a release's tree. The build is kept beside this tree's packages, by its commit. */
async function addPages(root: string, commit: string): Promise<void> {
  const kept = join(here, 'node_modules/.cache/last-release', commit);
  const built = join(root, 'web/dist');
  if (!existsSync(kept)) {
    process.stderr.write('The web app of the last release is built, once\n');
    const args = [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'];
    // Its own script also compresses the files and checks their sizes, which changes nothing about what pages do.
    execFileSync(process.execPath, args, {
      ...{ cwd: join(root, 'web'), timeout: BUILD_MS, stdio: ['ignore', 'ignore', 'inherit'] },
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const unfinished = `${kept}-${process.pid}`;
    await cp(built, unfinished, { recursive: true });
    await rename(unfinished, kept);
  } else await cp(kept, built, { recursive: true });
}

/** Whether a tree has every package of another one's server, in the version of that one's lock file. `isToBuild`: also those for development. */
async function isServedBy(tree: string, other: string, isToBuild: boolean): Promise<boolean> {
  const packagesOf = async (root: string) =>
    lockFile.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))).packages;
  const [own, needed] = await Promise.all([packagesOf(tree), packagesOf(other)]);
  return Object.entries(needed).every(
    ([path, { version, dev, optional }]) =>
      !path.startsWith('node_modules/') ||
      (dev === true && !isToBuild) ||
      optional === true ||
      own[path]?.version === version,
  );
}

/** Links every package of this tree except its own workspaces, which the release has itself. */
async function shareModules(root: string): Promise<void> {
  const modules = join(here, 'node_modules');
  await mkdir(join(root, 'node_modules/@pressel'), { recursive: true });
  for (const name of await readdir(modules)) {
    if (name !== '@pressel') await symlink(join(modules, name), join(root, 'node_modules', name));
  }
  await symlink(join(root, 'packages/contract'), join(root, 'node_modules/@pressel/contract'));
}

async function installModules(root: string, isToBuild: boolean): Promise<void> {
  process.stderr.write('Packages have changed since the last release: npm installs those that it needs\n');
  const which = isToBuild ? ['--workspace=server', '--workspace=web'] : ['--omit=dev', '--workspace=server'];
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...which];
  execFileSync('npm', args, { cwd: root, timeout: INSTALL_MS, stdio: ['ignore', 'ignore', 'inherit'] });
}
