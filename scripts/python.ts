import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installPackages } from './packages.ts';
import { execute } from './processes.ts';

const root = join(import.meta.dirname, '..');
const requirements = join(root, 'examples/python-client/requirements.txt');
/** An environment of its own, so that nothing of the machine's is touched. */
const place = join(root, 'node_modules/.cache/python-client');
const interpreter = join(place, 'bin/python');
/** What was installed in it, written when all of it was. */
const stamp = join(place, 'installed.txt');

/**
 * The interpreter that has what examples/python-client needs; null without one. Like the relay it is optional, so it is made
 * only where everything is to be checked, or when asked for.
 */
export async function findPythonClient(mayInstall: boolean): Promise<string | null> {
  const isThere = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(requirements, 'utf8');
  if (isThere || !mayInstall) return isThere ? interpreter : null;
  try {
    rmSync(place, { recursive: true, force: true });
    await makeEnvironment();
    await execute(interpreter, [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--timeout',
      '30',
      '--retries',
      '1',
      '--requirement',
      requirements,
    ]);
    writeFileSync(stamp, readFileSync(requirements, 'utf8'));
    return interpreter;
  } catch (error) {
    // No Python here, or its packages can't be had just now: that is no fault of ours.
    console.log(error instanceof Error ? error.message : error);
    return null;
  }
}

/** Debian has Python without what makes environments. */
async function makeEnvironment(): Promise<void> {
  if (findProgram('python3') === null) await installPackages(['python3', 'python3-venv']);
  try {
    await execute('python3', ['-m', 'venv', place], { stdio: 'ignore' });
  } catch {
    await installPackages(['python3-venv']);
    await execute('python3', ['-m', 'venv', place]);
  }
}
