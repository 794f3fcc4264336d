import { existsSync } from 'node:fs';
import { findProgram, installPackages } from './packages.ts';

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

const SHELL = 'chromium-headless-shell';

/**
 * The path of the same Chromium without what draws its window, in which tests take two thirds of the time, or null:
 * `CHROMIUM_SHELL_PATH`, one that is installed, or the system's package where everything is to be checked. None beside a
 * `CHROMIUM_PATH`, by which somebody chose.
 */
export async function findHeadlessShell(mayInstall: boolean): Promise<string | null> {
  const { CHROMIUM_SHELL_PATH: given, CHROMIUM_PATH: chosen } = process.env;
  if (given !== undefined && given !== '') return given;
  if (chosen !== undefined && chosen !== '') return null;
  const found = findProgram(SHELL);
  if (found !== null || !mayInstall) return found;
  try {
    // Both at once: they share a package, which must have the version of both.
    await installPackages(['chromium', SHELL]);
  } catch {
    // Not every system has it.
  }
  return findProgram(SHELL);
}
