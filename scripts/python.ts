import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installPackages } from './packages.ts';
import { execute } from './processes.ts';

const root = join(import.meta.dirname, '..');

/** Environments of their own, so that nothing of the machine's is touched: their packages, and the places where they are made. */
const ENVIRONMENTS = {
  'python-client': 'examples/python-client/requirements.txt',
  's3-server': 'server/test/s3-server.txt',
} as const;

/**
 * The interpreter of an environment; null without one. Like the relay, environments are optional: they are made only if everything is to be
 * checked, or on request.
 */
export async function findPython(name: keyof typeof ENVIRONMENTS, mayInstall: boolean): Promise<string | null> {
  const requirements = join(root, ENVIRONMENTS[name]);
  const place = join(root, 'node_modules/.cache', name);
  const interpreter = join(place, 'bin/python');
  // Lists the installed packages. It is written once all of them are installed.
  const stamp = join(place, 'installed.txt');
  const isThere = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(requirements, 'utf8');
  if (isThere || !mayInstall) return isThere ? interpreter : null;
  try {
    rmSync(place, { recursive: true, force: true });
    await makeEnvironment(place);
    const patience = ['--timeout', '30', '--retries', '1'];
    // Few of the modules are ever used. Python compiles those itself, at their first use.
    const options = ['--quiet', '--no-compile', ...patience];
    await execute(interpreter, ['-m', 'pip', 'install', ...options, '--requirement', requirements]);
    writeFileSync(stamp, readFileSync(requirements, 'utf8'));
    return interpreter;
  } catch (error) {
    // There is no Python here, or its packages can't be had just now: that is no fault of ours.
    console.log(error instanceof Error ? error.message : error);
    return null;
  }
}

/** Debian's Python comes without what makes environments. */
async function makeEnvironment(place: string): Promise<void> {
  if (findProgram('python3') === null) await installPackages(['python3', 'python3-venv']);
  try {
    await execute('python3', ['-m', 'venv', place], { stdio: 'ignore' });
  } catch {
    await installPackages(['python3-venv']);
    await execute('python3', ['-m', 'venv', place]);
  }
}

/** `node scripts/python.ts s3-server` makes one of them. */
if (import.meta.main) {
  const [name] = process.argv.slice(2);
  if (name === undefined || !(name in ENVIRONMENTS))
    throw new Error(`Name one of ${Object.keys(ENVIRONMENTS).join(', ')}`);
  if ((await findPython(name as keyof typeof ENVIRONMENTS, true)) === null) process.exitCode = 1;
}
