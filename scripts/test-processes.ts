import { installRedis } from './packages.ts';
import { startTestRun } from './test-run.ts';

/**
 * Three processes serve here what one serves in `npm test`. It runs all tests of a test app (except those that `alone` leaves out), those
 * of faults, then the browser tests of voice, chat, presence and calls. The long ones, which `npm test` leaves out, run too.
 * `npm run test:processes -- services`, or `browser`, is one half; more arguments are those of Vitest or Playwright.
 */
const PRESSEL_PROCESSES = '3';
const BROWSER_TESTS = [
  ...['several-processes', 'voice', 'talker', 'hand-over', 'board', 'half-dead', 'without-link', 'relay'],
  ...['last-release', 'link', 'stay', 'guests', 'chat', 'calls', 'call-link', 'room-parts'],
];
const [part, ...args] = process.argv.slice(2);

await installRedis();
const { vitest, browsers, finish } = startTestRun({ isSideBySide: false });
if (part !== 'browser') await vitest('service tests', ['--project', 'server', ...args], { PRESSEL_PROCESSES });
if (part !== 'services') {
  const files = BROWSER_TESTS.map((name) => `tests/${name}.spec.ts`);
  const isNarrowed = args.some((arg) => !arg.startsWith('-'));
  await browsers('browser tests', [...(isNarrowed ? [] : files), ...args], { PRESSEL_PROCESSES });
}
finish();
