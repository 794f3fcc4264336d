/**
 * `npm run screens` takes pictures of every screen and dialog: with nothing to show, with little and with much, at four widths, light and
 * dark, in each language. They go into `screens/`, which git ignores; `screens/index.html` shows them side by side. Any of these words
 * narrows it: `npm run screens -- much fr dark 390`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { launchOptions } from '@pressel/e2e/harness/browser';
import { enterNatively } from '@pressel/e2e/harness/native-peer';
import { createPacer, readOpusVoices } from '@pressel/e2e/harness/opus-voice';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { untilContent } from '@pressel/e2e/harness/tour';
import { LANGUAGES } from '@pressel/e2e/harness/words';
import { chromium } from 'playwright';
import { findChromium } from './browsers.ts';
import { buildWebIfStale } from './build-web.ts';
import { contactSheet, type Picture } from './screens/contact-sheet.ts';
import { type Device, see } from './screens/see.ts';
import { AMOUNTS, fill } from './screens/teams.ts';

const SCHEMES = ['light', 'dark'] as const;
const SIZES = [
  { width: 1600, height: 900 },
  { width: 1280, height: 800 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
] as const;
const words = new Set(process.argv.slice(2));
/** Returns the choices that were asked for; all if none was. */
const chosen = <Choice extends string | { width: number }>(all: readonly Choice[]): readonly Choice[] => {
  const named = all.filter((one) => words.has(typeof one === 'string' ? one : String(one.width)));
  return named.length === 0 ? all : named;
};

const target = join(import.meta.dirname, '../screens');
rmSync(target, { recursive: true, force: true });
const pictures: Picture[] = [];
let failed = 0;

await buildWebIfStale();
const browser = await chromium.launch({ ...launchOptions, executablePath: await findChromium() });
const devices: Device[] = chosen(LANGUAGES).flatMap((language) =>
  chosen(SCHEMES).flatMap((scheme) => chosen(SIZES).map((size) => ({ language, scheme, ...size }))),
);
for (const amount of chosen(AMOUNTS)) {
  const server = await startPressel();
  try {
    const team = await fill(server.origin, amount);
    const pacer = createPacer();
    const voice = readOpusVoices().down;
    const { rtcSession: room = '', others = [] } = team.shown ?? {};
    await Promise.all(others.map(({ token }) => enterNatively({ origin: server.origin, token, room, voice, pacer })));
    for (const device of devices) {
      const look = `${device.language}-${device.scheme}-${device.width}`;
      const faults = await see(browser, server.origin, team, device, async (where, page) => {
        const file = `${amount}/${where.replace(/[^\p{L}\d]+/gu, '-')}/${look}.png`;
        mkdirSync(dirname(join(target, file)), { recursive: true });
        await untilContent(page);
        await page.screenshot({ path: join(target, file) });
        pictures.push({ amount, where, look, file });
      });
      for (const fault of faults) console.error(`${amount} ${look}: ${fault}`);
      failed += faults.length;
      console.log(`${amount} ${look}: ${pictures.length} pictures so far`);
    }
  } finally {
    await server.dispose();
  }
}
await browser.close();
writeFileSync(join(target, 'index.html'), contactSheet(pictures));
console.log(`${pictures.length} pictures in ${target}`);
// The threads of native peers would keep it alive.
process.exit(failed === 0 ? 0 : 1);
