import { join } from 'node:path';
import { buildWebIfStale } from './build-web.ts';
import { findChromium, findHeadlessShell } from './chromium.ts';
import { findProgram, installPackages } from './packages.ts';
import { run } from './processes.ts';
import { findPythonClient } from './python.ts';

const root = join(import.meta.dirname, '..');

/** Builds what is stale, finds Chromium and runs the browser tests; arguments are Playwright's. */
export async function runBrowserTests(env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Promise<void> {
  const shell = await findHeadlessShell(process.env.CI !== undefined);
  const chromium = await findChromium();
  const relay = await findRelay();
  if (relay === null) console.log('coturn was not found: the tests of voice through a relay are left out');
  const python = await findPythonClient(process.env.CI !== undefined);
  if (python === null)
    console.log('the client in Python has no environment (npm run example:python): its test is left out');
  await buildWebIfStale();
  await run([join(root, 'node_modules/@playwright/test/cli.js'), 'test', ...args], {
    cwd: join(root, 'e2e'),
    env: {
      ...process.env,
      ...env,
      CHROMIUM_PATH: chromium,
      ...(shell === null ? {} : { CHROMIUM_SHELL_PATH: shell }),
      ...(relay === null ? {} : { TURNSERVER_PATH: relay }),
      ...(python === null ? {} : { PYTHON_CLIENT: python }),
    },
  });
}

/** A relay is optional, so it is installed only where everything is to be checked. */
async function findRelay(): Promise<string | null> {
  const found = findProgram('turnserver');
  if (found !== null || process.env.CI === undefined) return found;
  await installPackages(['coturn']);
  return findProgram('turnserver');
}

if (import.meta.main) await runBrowserTests({}, process.argv.slice(2));
