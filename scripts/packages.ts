import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execute } from './processes.ts';

/** Debian asks this program whether a service that a package brings may start. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs Debian packages if this process is root on a system with apt-get; elsewhere it does nothing. Their services are not started:
 * tests start what they need.
 */
export function installPackages(names: readonly string[]): Promise<void> {
  // apt-get makes one installation at a time, and fails if another one goes on.
  const installation = latest.then(() => install(names));
  latest = installation.catch(() => undefined);
  return installation;
}

let latest: Promise<void> = Promise.resolve();

async function install(names: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !hasAptGet()) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await execute('apt-get', ['update', '-qq'], { env });
  const hasPolicy = existsSync(SERVICE_POLICY);
  if (!hasPolicy) writeFileSync(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await execute('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { env, stdio: 'ignore' });
  } finally {
    if (!hasPolicy) rmSync(SERVICE_POLICY);
  }
}

/** Installs Redis for the tests of several processes, unless it or Valkey is there. The tests say so if neither is. */
export async function installRedis(): Promise<void> {
  if (findProgram('redis-server') ?? findProgram('valkey-server')) return;
  try {
    await installPackages(['redis-server']);
  } catch {
    // Not every system has it by this name.
  }
}

function hasAptGet(): boolean {
  try {
    execFileSync('apt-get', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns where a program is on the search path, or null. It looks for system programs of Debian too. */
export function findProgram(name: string): string | null {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  return places.map((place) => join(place, name)).find((path) => existsSync(path)) ?? null;
}
