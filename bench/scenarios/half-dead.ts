import { TALK_MAX_MS } from '@pressel/contract/limits';
import { createApi } from '@pressel/e2e/harness/api';
import { launchOptions, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { giveVoiceAndEar, takeHeard } from '@pressel/e2e/harness/page-audio';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { openStallingPath } from '@pressel/e2e/harness/stalling-path';
import { onset, SAMPLE_RATE } from '@pressel/e2e/harness/voice-signal';
import { chromium, type Page } from 'playwright';
import { conclude, spread } from '../shared/report.ts';

/**
 * A listener whose way to the server stands still or breaks off while the voices' way lives: how soon the page says so,
 * how soon it is back once the server can be reached again, and how soon it hears a talk that begins meanwhile. Real pages, real
 * server, and a proxy between the listener and the server.
 */
const ROUNDS = Number(process.argv[2] ?? 5);
/** Long enough that the connection is replaced and the new one hangs too. */
const LONG_STALL_MS = 12_000;
const LONG_CUT_MS = 8_000;
const LIMIT_KNOWN_MS = 3_000;
const LIMIT_BACK_MS = 1_500;
const LIMIT_HEARD_MS = 500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const server = await startPressel();
const path = await openStallingPath(server.origin);
const api = createApi(server.origin);
const admin = await api.person('Camille');
const [tom, lea] = [await api.person('Tom', admin.token), await api.person('Lea', admin.token)];
const { rtcSession } = await api.channel(admin, 'Bench', [tom, lea]);
const browser = await chromium.launch(launchOptions);

async function enter(token: string, baseURL: string): Promise<Page> {
  const context = await browser.newContext({
    ...WITHOUT_WORKER,
    baseURL,
    bypassCSP: true,
    permissions: ['microphone'],
  });
  await giveVoiceAndEar(context, 'up');
  await context.addInitScript((value) => sessionStorage.setItem('TOKEN_KEY', value), token);
  const page = await context.newPage();
  await page.goto(`/groupCallView/${rtcSession}`);
  await page.locator('[data-talk-button][data-state=idle]').waitFor();
  return page;
}

/** Time until the page's talk button is in a state, by the page's own clock: ms from now. */
const untilState = (page: Page, state: string): Promise<number> =>
  page.evaluate((wanted) => {
    const begun = performance.now();
    const isThere = () => document.querySelector(`[data-talk-button][data-state=${wanted}]`) !== null;
    return new Promise<number>((resolve) => {
      const look = () => {
        if (!isThere()) return;
        watch.disconnect();
        resolve(performance.now() - begun);
      };
      const watch = new MutationObserver(look);
      watch.observe(document.body, { subtree: true, childList: true, attributes: true });
      look();
    });
  }, state);

/** Returns the time from the press to the first sound at the listener's ear, ms; infinite if a whole talk was not heard. */
async function untilHeard(talker: Page, listener: Page): Promise<number> {
  await takeHeard(listener);
  const pressedAt = Date.now();
  await talker.locator('[data-talk-button]').hover();
  await talker.mouse.down();
  try {
    while (Date.now() - pressedAt < TALK_MAX_MS) {
      await pause(100);
      for (const { samples, startedAt } of await takeHeard(listener)) {
        const first = onset(samples);
        if (first !== -1) return startedAt + (first / SAMPLE_RATE) * 1000 - pressedAt;
      }
    }
    return Number.POSITIVE_INFINITY;
  } finally {
    await talker.mouse.up();
  }
}

const known: number[] = [];
const healed: number[] = [];
const backFromStall: number[] = [];
const backFromCut: number[] = [];
const heard: number[] = [];
try {
  const talker = await enter(tom.token, server.origin);
  const listener = await enter(lea.token, path.origin);
  for (let count = 0; count < ROUNDS; count += 1) {
    await pause(2_000 + Math.random() * 1_000);
    path.stall();
    known.push(await untilState(listener, 'no_link'));
    await path.resume();
    healed.push(await untilState(listener, 'idle'));

    await pause(2_000);
    path.stall();
    await pause(LONG_STALL_MS);
    await path.resume();
    backFromStall.push(await untilState(listener, 'idle'));

    await pause(2_000);
    await path.cut();
    await pause(LONG_CUT_MS + Math.random() * 1_000);
    await path.resume();
    backFromCut.push(await untilState(listener, 'idle'));
  }
  await listener.context().close();
  for (let count = 0; count < ROUNDS; count += 1) {
    const other = await enter(lea.token, path.origin);
    await talker.locator('[data-tile][data-presence=connected]').waitFor();
    await pause(2_000);
    path.stall();
    path.passNewcomers();
    heard.push(await untilHeard(talker, other));
    await other.context().close();
    await path.resume();
  }
} finally {
  await browser.close();
  await path.close();
  await server.dispose();
}

const figures = {
  rounds: ROUNDS,
  lossKnownMs: spread(known),
  healedMs: spread(healed),
  backAfterStallMs: spread(backFromStall),
  backAfterCutMs: spread(backFromCut),
  heardMs: spread(heard),
};
console.log(JSON.stringify(figures, null, 2));
const most = (what: string, values: readonly number[], limit: number) => ({
  what,
  value: Math.max(...values),
  limit,
  unit: 'ms',
});
conclude('half-dead', figures, [
  most('standstill to the page saying so', known, LIMIT_KNOWN_MS),
  most('open again to back in the room, after a short standstill', healed, LIMIT_BACK_MS),
  most('open again to back in the room, after a long standstill', backFromStall, LIMIT_BACK_MS),
  most('open again to back in the room, after an outage', backFromCut, LIMIT_BACK_MS),
  most('press to ear at a page whose connection stands still', heard, LIMIT_HEARD_MS),
]);
