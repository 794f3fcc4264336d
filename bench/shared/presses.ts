import { signInAhead, WITHOUT_WORKER } from '@pressel/e2e/harness/browser';
import { giveVoiceAndEar, mouthEpoch, mouthEpochAt, type Recording, takeHeard } from '@pressel/e2e/harness/page-audio';
import { apart, lastSound, offsetInSweep, onset, SAMPLE_RATE } from '@pressel/e2e/harness/voice-signal';
import type { Browser, BrowserContext, Page } from 'playwright';
import { median, percentile, round } from './report.ts';

/** The pitch of a window is known to about this. */
export const CLIP_RESOLUTION_MS = 5;
const HOLD_MS = 350;
const REST_MS = 450;

interface Press {
  /** Date.now() of the input event. */
  pressedAt: number;
  /** Date.now() when the button showed that the floor was granted. */
  grantedAt: number;
  releasedAt: number;
}
/** The measurements of some presses, in ms. */
export interface Presses {
  /** How late everything is heard after it was said, in the middle of the talk. */
  late: number[];
  /** The part of it in the jitter buffer, on the average of the talk. */
  buffered: number[];
  /** The delay that the jitter buffer wished to have. */
  bufferTarget: number[];
  pressToEar: number[];
  clipped: number[];
  clippedAfterGrant: number[];
  grant: number[];
  tail: number[];
  unheard: number;
}

/** One press, and what the other end heard of it. */
interface Heard {
  press: Press;
  heard: Recording;
  /** The time at which the talker's voice began, by the clock that all pages share. */
  mouth: number;
  buffer: JitterBuffer;
}

/** Sums over what left the jitter buffer, in seconds, and how many samples that was. */
interface JitterBuffer {
  delay: number;
  target: number;
  emitted: number;
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A browser with a voice and ears, signed in where there is a token. */
export async function newContext(browser: Browser, baseURL: string, token = ''): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...WITHOUT_WORKER,
    baseURL,
    bypassCSP: true,
    permissions: ['microphone'],
  });
  await giveVoiceAndEar(context, 'up');
  if (token !== '') await signInAhead(context, token);
  return context;
}

/** Marks presses and grants on the clock that all pages share. */
function watchPresses(): void {
  // performance.now() and Date.now() are brought together at a tick of the latter.
  const start = Date.now();
  let tick = Date.now();
  while (tick === start) tick = Date.now();
  const offset = tick - performance.now();
  const presses: { pressedAt: number; grantedAt: number; releasedAt: number }[] = [];
  addEventListener(
    'pointerdown',
    ({ timeStamp }) => presses.push({ pressedAt: timeStamp + offset, grantedAt: Number.NaN, releasedAt: Number.NaN }),
    { capture: true },
  );
  addEventListener(
    'pointerup',
    ({ timeStamp }) => {
      const press = presses.at(-1);
      if (press) press.releasedAt = timeStamp + offset;
    },
    { capture: true },
  );
  const button = document.querySelector('[data-talk-button]');
  if (button === null) throw new Error('There is no talk button');
  new MutationObserver(() => {
    const press = presses.at(-1);
    if (button.getAttribute('data-state') === 'talking' && press && Number.isNaN(press.grantedAt)) {
      press.grantedAt = performance.now() + offset;
    }
  }).observe(button, { attributes: true, attributeFilter: ['data-state'] });
  Object.assign(window, { presses });
}

/** Puts the pointer on the talk button, and records its presses and releases. */
export async function prepareToPress(talker: Page): Promise<void> {
  await talker.evaluate(watchPresses);
  await talker.locator('[data-talk-button]').hover();
}

/** @param isDrifting whether the talker's audio has a clock of its own, as in Firefox */
export async function pressOnce(talker: Page, listener: Page, isDrifting = false): Promise<Heard> {
  await takeHeard(listener);
  await pause(REST_MS);
  const before = await jitterBuffer(listener);
  await talker.mouse.down();
  await pause(HOLD_MS);
  await talker.mouse.up();
  await pause(REST_MS);
  const after = await jitterBuffer(listener);
  const press = await talker.evaluate(() => (window as unknown as { presses: Press[] }).presses.at(-1));
  const heard = (await takeHeard(listener)).find((recording) => !recording.isEnded);
  if (press === undefined || heard === undefined) throw new Error('The press or the ear is missing');
  const mouth = isDrifting ? await mouthEpochAt(talker, press.pressedAt) : ((await mouthEpoch(talker)) ?? 0);
  const buffer = {
    delay: after.delay - before.delay,
    target: after.target - before.target,
    emitted: after.emitted - before.emitted,
  };
  return { press, heard, mouth, buffer };
}

/** Sums over all voices that come to a page. */
const jitterBuffer = (page: Page): Promise<JitterBuffer> =>
  page.evaluate(async () => {
    const { connections } = (window as unknown as { pageAudio: { connections: RTCPeerConnection[] } }).pageAudio;
    const sum = { delay: 0, target: 0, emitted: 0 };
    for (const connection of connections) {
      for (const report of (await connection.getStats()).values()) {
        if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
        sum.delay += report.jitterBufferDelay;
        sum.target += report.jitterBufferTargetDelay;
        sum.emitted += report.jitterBufferEmittedCount;
      }
    }
    return sum;
  });

/** How late the middle of a talk is heard after it was said. */
function lateness(heard: Recording, first: number, mouth: number): number {
  const all: number[] = [];
  for (let ms = 100; ms <= HOLD_MS - 50; ms += 25) {
    const at = first + (ms * SAMPLE_RATE) / 1000;
    const place = offsetInSweep(heard.samples, at);
    if (place !== null) all.push(apart((timeOf(heard, at) - mouth) % 1000, place));
  }
  return median(all);
}

/** The time at which a sample is at the ear. */
const timeOf = (heard: Recording, index: number): number => heard.startedAt + (index / SAMPLE_RATE) * 1000;

export function note(presses: Presses, { press, heard, mouth, buffer }: Heard): void {
  const first = onset(heard.samples);
  if (first === -1) {
    presses.unheard += 1;
    return;
  }
  if (timeOf(heard, first) < press.pressedAt) return; // not preceded by silence
  presses.pressToEar.push(timeOf(heard, first) - press.pressedAt);
  presses.grant.push(press.grantedAt - press.pressedAt);
  presses.tail.push(timeOf(heard, lastSound(heard.samples)) - press.releasedAt);
  presses.late.push(lateness(heard, first, mouth));
  presses.buffered.push((buffer.delay / buffer.emitted) * 1000);
  presses.bufferTarget.push((buffer.target / buffer.emitted) * 1000);
  const place = offsetInSweep(heard.samples, first);
  if (place === null) return;
  presses.clipped.push(apart(place, (press.pressedAt - mouth) % 1000));
  presses.clippedAfterGrant.push(apart(place, (press.grantedAt - mouth) % 1000));
}

export const newPresses = (): Presses => ({
  late: [],
  buffered: [],
  bufferTarget: [],
  pressToEar: [],
  clipped: [],
  clippedAfterGrant: [],
  grant: [],
  tail: [],
  unheard: 0,
});

/** Opens a room, and waits until somebody else's voice can be heard there. */
export async function enterRoom(context: BrowserContext, rtcSession: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`/groupCallView/${rtcSession}`);
  await page.locator('[data-tile][data-presence=connected]').waitFor();
  return page;
}

/** A value that could not be measured is NaN, and doesn't count. */
export const measured = (values: readonly number[]) => values.filter((value) => !Number.isNaN(value));

export const figuresOf = (all: readonly number[]) => {
  const values = measured(all);
  return {
    n: values.length,
    median: round(median(values)),
    p95: round(percentile(values, 0.95)),
    max: values.length === 0 ? Number.NaN : round(Math.max(...values)),
  };
};

/** Adds the presses of `more` to `all`. */
export function addPresses(all: Presses, more: Presses): void {
  all.unheard += more.unheard;
  for (const name of [
    'late',
    'buffered',
    'bufferTarget',
    'pressToEar',
    'clipped',
    'clippedAfterGrant',
    'grant',
    'tail',
  ] as const) {
    all[name].push(...more[name]);
  }
}
