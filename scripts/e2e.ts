import { join } from 'node:path';
import { findChromium, findFirefox, findHeadlessShell, openDisplay } from './browsers.ts';
import { buildWebIfStale } from './build-web.ts';
import { findProgram, installPackages } from './packages.ts';
import { run } from './processes.ts';
import { findPython } from './python.ts';

const root = join(import.meta.dirname, '..');

/** Builds what is stale, finds Chromium and runs the browser tests; arguments are Playwright's. */
export async function runBrowserTests(args: readonly string[]): Promise<void> {
  const { shell, chromium, firefox, relay, python } = await findPrograms();
  if (firefox === null) console.log('Firefox and Xvfb were not found (firefox-esr, xvfb): its tests are left out');
  if (relay === null) console.log('coturn was not found: the tests of voice through a relay are left out');
  if (python === null)
    console.log('the client in Python has no environment (npm run example:python): its test is left out');
  await buildWebIfStale();
  const display = firefox === null || firefox.xvfb === null ? null : await openDisplay(firefox.xvfb);
  const running = run([join(root, 'node_modules/@playwright/test/cli.js'), 'test', ...args], {
    cwd: join(root, 'e2e'),
    env: {
      ...process.env,
      CHROMIUM_PATH: chromium,
      ...(firefox === null ? {} : { FIREFOX_PATH: firefox.path }),
      ...(display === null ? {} : { FIREFOX_DISPLAY: display.name }),
      ...(shell === null ? {} : { CHROMIUM_SHELL_PATH: shell }),
      ...(relay === null ? {} : { TURNSERVER_PATH: relay }),
      ...(python === null ? {} : { PYTHON_CLIENT: python }),
    },
  });
  await running.finally(() => display?.close());
}

/** Finds the programs of the browser tests. Those that are missing are installed where everything is to be checked. */
async function findPrograms() {
  const mayInstall = process.env.CI !== undefined;
  return {
    shell: await findHeadlessShell(mayInstall),
    chromium: await findChromium(),
    firefox: await findFirefox(mayInstall),
    relay: await findRelay(),
    python: await findPython('python-client', mayInstall),
  };
}

/** Installs the programs of the browser tests early. It never fails: the tests say themselves what is missing. */
export async function installForBrowserTests(): Promise<void> {
  await findPrograms().catch(() => undefined);
}

/** A relay is optional, so it is installed only where everything is to be checked. */
async function findRelay(): Promise<string | null> {
  const found = findProgram('turnserver');
  if (found !== null || process.env.CI === undefined) return found;
  await installPackages(['coturn']);
  return findProgram('turnserver');
}

if (import.meta.main) await runBrowserTests(process.argv.slice(2));
