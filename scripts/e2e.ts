import { join } from 'node:path';
import { buildWebIfStale } from './build-web.ts';
import { findChromium } from './chromium.ts';
import { run } from './processes.ts';

const root = join(import.meta.dirname, '..');

/** Builds what is stale, finds Chromium and runs the browser tests; arguments are Playwright's. */
export async function runBrowserTests(env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Promise<void> {
  const chromium = await findChromium();
  await buildWebIfStale();
  await run([join(root, 'node_modules/@playwright/test/cli.js'), 'test', ...args], {
    cwd: join(root, 'e2e'),
    env: { ...process.env, ...env, CHROMIUM_PATH: chromium },
  });
}

if (import.meta.main) await runBrowserTests({}, process.argv.slice(2));
