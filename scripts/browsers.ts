import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findProgram, installPackages } from './packages.ts';

const CHROMIUM_PLACES = [
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
  const found = CHROMIUM_PLACES.find((path) => existsSync(path));
  if (found !== undefined) return found;
  await installPackages(['chromium']);
  if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium';
  throw new Error(
    'The browser tests need Chromium: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
  );
}

const SHELL = 'chromium-headless-shell';

/**
 * The path of the same Chromium without a window (its headless shell), in which tests take two thirds of the time, or null:
 * `CHROMIUM_SHELL_PATH`, one that is installed, or the system's package if everything is to be checked. With `CHROMIUM_PATH` there is none,
 * because somebody chose their browser.
 */
export async function findHeadlessShell(mayInstall: boolean): Promise<string | null> {
  const { CHROMIUM_SHELL_PATH: given, CHROMIUM_PATH: chosen } = process.env;
  if (given !== undefined && given !== '') return given;
  if (chosen !== undefined && chosen !== '') return null;
  const found = findProgram(SHELL);
  if (found !== null || !mayInstall) return found;
  try {
    // Installs both at once: they share a package, which must have the version of both.
    await installPackages(['chromium', SHELL]);
  } catch {
    // Not every system has it.
  }
  return findProgram(SHELL);
}

const FIREFOX_PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/snap/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

/** Firefox, and the display that it draws on. */
export interface FoundFirefox {
  path: string;
  /** The program of a display in memory; null: none is needed. Without it, Firefox on Linux draws no WebGL, hence no map. */
  xvfb: string | null;
}

/**
 * A Firefox, or null: `FIREFOX_PATH`, one that is installed, or the system's package when we may install it.
 * @throws Error when there is none and `isNeeded`
 */
export async function findFirefox(isNeeded: boolean): Promise<FoundFirefox | null> {
  const { FIREFOX_PATH: given } = process.env;
  const look = (): FoundFirefox | null => {
    const path = given !== undefined && given !== '' ? given : FIREFOX_PLACES.find((place) => existsSync(place));
    const xvfb = process.platform === 'linux' ? findProgram('Xvfb') : null;
    return path === undefined || (process.platform === 'linux' && xvfb === null) ? null : { path, xvfb };
  };
  if (look() === null) {
    try {
      await installPackages(['firefox-esr', 'xvfb']);
    } catch {
      // Not every system has them by these names.
    }
  }
  const found = look();
  if (found === null && isNeeded)
    throw new Error(
      'The browser tests need Firefox and Xvfb (Debian: apt-get install firefox-esr xvfb), or FIREFOX_PATH.',
    );
  return found;
}

/** Opens a display that nobody sees, for the time of a run. */
export async function openDisplay(xvfb: string): Promise<{ name: string; close(): void }> {
  const args = ['-displayfd', '3', '-screen', '0', '1920x1400x24', '-nolisten', 'tcp'];
  const child = spawn(xvfb, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const number = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${xvfb} ended with ${code}`)));
    child.stdio[3]?.once('data', (text) => resolve(String(text).trim()));
  });
  return { name: `:${number}`, close: () => void child.kill() };
}
