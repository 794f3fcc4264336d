import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { execute } from './processes.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium: `CHROMIUM_PATH`, one that is installed, or the system's package when we may install it. */
export async function findChromium(): Promise<string> {
  const given = process.env.CHROMIUM_PATH;
  if (given !== undefined && given !== '') return given;
  const found = PLACES.find((path) => existsSync(path));
  if (found !== undefined) return found;
  await installPackages(['chromium']);
  if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium';
  throw new Error(
    'The browser tests need Chromium: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
  );
}

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
