import { createApi } from '@pressel/e2e/harness/api';
import { firefoxOptions, launchOptions } from '@pressel/e2e/harness/browser';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { chromium, firefox } from 'playwright';
import {
  CLIP_RESOLUTION_MS,
  enterRoom,
  figuresOf,
  newContext,
  newPresses,
  note,
  pause,
  prepareToPress,
  pressOnce,
} from '../shared/presses.ts';
import { conclude, percentile } from '../shared/report.ts';

/**
 * From the press in Firefox to the ear in Chromium, and what the ear misses of the first syllable: press after press, and
 * after a minute in which nobody talked. Fewer of either: `npm run bench -- press-to-ear-firefox 40 5`.
 */
const AT_ONCE = Number(process.argv[2] ?? 40);
const AFTER_SILENCE = Number(process.argv[3] ?? 5);
const SILENCE_MS = 60_000;
const LIMIT_P95_MS = 300;

const server = await startPressel();
const api = createApi(server.origin);
const admin = await api.person('Camille');
const other = await api.person('Lea', admin.token);
const { rtcSession } = await api.channel(admin, 'Bench', [other]);
const browsers = [await firefox.launch(firefoxOptions), await chromium.launch(launchOptions)] as const;
try {
  const [talker, listener] = await Promise.all([
    enterRoom(await newContext(browsers[0], server.origin, admin.token), rtcSession),
    enterRoom(await newContext(browsers[1], server.origin, other.token), rtcSession),
  ]);
  await prepareToPress(talker);
  const atOnce = newPresses();
  for (let index = 0; index < AT_ONCE; index += 1) note(atOnce, await pressOnce(talker, listener, true));
  const afterSilence = newPresses();
  for (let index = 0; index < AFTER_SILENCE; index += 1) {
    await pause(SILENCE_MS);
    note(afterSilence, await pressOnce(talker, listener, true));
  }

  const all = { 'at once': atOnce, 'after a minute': afterSilence };
  const table = Object.fromEntries(
    Object.entries(all).flatMap(([when, presses]) => [
      [`${when}: press to ear`, figuresOf(presses.pressToEar)],
      [`${when}: press to grant shown`, figuresOf(presses.grant)],
      [`${when}: clipped after the press`, figuresOf(presses.clipped)],
      [`${when}: clipped after the grant`, figuresOf(presses.clippedAfterGrant)],
    ]),
  );
  console.table(table);
  conclude(
    'press-to-ear-firefox',
    { unit: 'ms', talker: browsers[0].version(), listener: browsers[1].version(), figures: table },
    Object.entries(all).flatMap(([when, presses]) => [
      {
        what: `${when}: press to ear, p95`,
        value: percentile(presses.pressToEar, 0.95),
        limit: LIMIT_P95_MS,
        unit: 'ms',
      },
      {
        what: `${when}: clipped after the grant, worst`,
        value: Math.max(0, ...presses.clippedAfterGrant.map((ms) => ms - CLIP_RESOLUTION_MS)),
        limit: 0,
        unit: 'ms',
      },
      { what: `${when}: presses not heard`, value: presses.unheard, limit: 0, unit: '' },
    ]),
  );
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
  await server.dispose();
}
