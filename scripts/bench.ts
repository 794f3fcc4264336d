import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, findFirefox } from './browsers.ts';
import { buildWebIfStale } from './build-web.ts';
import { run } from './processes.ts';

const root = join(import.meta.dirname, '..');
const scenarios = readdirSync(join(root, 'bench/scenarios')).map((file) => file.replace(/\.ts$/u, ''));
const [name, ...args] = process.argv.slice(2);

if (name === undefined || !scenarios.includes(name)) {
  console.error(`Which bench? npm run bench -- <${scenarios.join(' | ')}>`);
  process.exit(1);
}
const WITHOUT_BROWSER = [
  'floor',
  'history',
  'images',
  'import',
  'bystander',
  'loss',
  'presence',
  'room',
  'scale',
  'soak',
  'start',
];
const needsBrowser = !WITHOUT_BROWSER.includes(name);
// The bench `bystander` asks for the page itself, too.
if (needsBrowser || name === 'bystander') await buildWebIfStale();
const firefox = name === 'press-to-ear-firefox' ? await findFirefox(true) : null;
await run([join(root, 'bench/scenarios', `${name}.ts`), ...args], {
  cwd: root,
  env: {
    ...process.env,
    ...(needsBrowser ? { CHROMIUM_PATH: await findChromium() } : {}),
    ...(firefox === null ? {} : { FIREFOX_PATH: firefox.path }),
  },
});
