import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execute } from './processes.ts';

/** Installs Debian packages when this is root on a system that has apt-get; elsewhere does nothing. */
export async function installPackages(names: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !hasAptGet()) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await execute('apt-get', ['update', '-qq'], { env });
  await execute('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { env, stdio: 'ignore' });
}

function hasAptGet(): boolean {
  try {
    execFileSync('apt-get', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Where a program is on the search path, or null. System programs of Debian are looked for too. */
export function findProgram(name: string): string | null {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  return places.map((place) => join(place, name)).find((path) => existsSync(path)) ?? null;
}
