import { join } from 'node:path';
import { runBrowserTests } from './e2e.ts';
import { installRedis } from './packages.ts';
import { run } from './processes.ts';

/**
 * Three processes serve here what one serves in `npm test`. It runs all service tests (except those that `alone` leaves out), those of
 * faults, then the browser tests of voice, chat, presence and calls. The long ones, which `npm test` leaves out, run too.
 * `npm run test:processes -- services`, or `browser`, is one half; more arguments are those of Vitest or Playwright.
 */
const PRESSEL_PROCESSES = '3';
const BROWSER_TESTS = [
  ...['several-processes', 'voice', 'talker', 'hand-over', 'board', 'half-dead', 'without-link', 'relay'],
  ...['link', 'stay', 'guests', 'chat', 'calls'],
];
const root = join(import.meta.dirname, '..');
const [part, ...args] = process.argv.slice(2);

await installRedis();
if (part !== 'browser') {
  const env = { ...process.env, PRESSEL_PROCESSES };
  await run(['node_modules/vitest/vitest.mjs', 'run', '--project', 'server', ...args], { cwd: root, env });
}
if (part !== 'services') {
  const files = BROWSER_TESTS.map((name) => `tests/${name}.spec.ts`);
  await runBrowserTests({ PRESSEL_PROCESSES }, args.length > 0 ? args : files);
}
