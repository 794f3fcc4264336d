import { type Recording, takeHeard } from '@pressel/e2e/harness/page-audio';
import { onset, SAMPLE_RATE } from '@pressel/e2e/harness/voice-signal';
import type { BrowserContext, Page } from 'playwright';
import { openBarePair } from './bare-pair.ts';

/** Somebody looks at a list for this long before choosing. */
const LOOK_MS = 2_500;
const UNHEARD_AFTER_MS = 10_000;
const POLL_MS = 20;

export interface LateEntryWorld {
  /** A page in the room: its talk button is under the mouse. */
  talker: Page;
  /** Of a member who isn't in the room yet. */
  newcomer: BrowserContext;
  bare: Page;
  channel: { name: string; rtcSession: string };
}

/** Milliseconds until the first sound; NaN when there was none. */
export interface LateEntries {
  /** From the click on the channel in the list. */
  byClick: number[];
  /** From the start of the navigation to the room's address. */
  byAddress: number[];
  /** From making the two ends of a bare pair in one page: what connections cost here. */
  bare: number[];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const soundIn = (recordings: readonly Recording[]): number | undefined => {
  for (const { samples, startedAt, isEnded } of recordings) {
    // An earlier pair of the page: what it still said isn't what is waited for.
    if (isEnded) continue;
    const first = onset(samples);
    if (first !== -1) return startedAt + (first / SAMPLE_RATE) * 1000;
  }
  return undefined;
};

/** Time (Date.now()) of the first sound in a page from now on. The ear is put on while the connection is being made. */
async function firstSound(page: Page): Promise<number> {
  const deadline = Date.now() + UNHEARD_AFTER_MS;
  while (Date.now() < deadline) {
    const at = soundIn(await takeHeard(page));
    if (at !== undefined) return at;
    await pause(POLL_MS);
  }
  return Number.NaN;
}

async function enterByClick(page: Page, channel: string): Promise<number> {
  await page.goto('/channelsList');
  const link = page.getByRole('row').filter({ hasText: channel }).getByRole('link');
  await link.waitFor();
  await page.evaluate(() => {
    // The mouth of this bench makes an audio context, which would count as the product's.
    void navigator.mediaDevices.getUserMedia({ audio: true });
    addEventListener('click', () => Object.assign(window, { clickedAt: Date.now() }), { capture: true, once: true });
  });
  await pause(LOOK_MS);
  await link.click();
  return page.evaluate(() => (window as unknown as { clickedAt: number }).clickedAt);
}

async function enterByAddress(page: Page, rtcSession: string): Promise<number> {
  const start = Date.now();
  await page.goto(`/groupCallView/${rtcSession}`, { waitUntil: 'commit' });
  return start;
}

/** While somebody talks another one enters the room, again and again, each time in a new page. */
export async function measureLateEntry(world: LateEntryWorld, times: number): Promise<LateEntries> {
  const { talker, newcomer, bare, channel } = world;
  const entries: LateEntries = { byClick: [], byAddress: [], bare: [] };
  const enter = async (by: (page: Page) => Promise<number>): Promise<number> => {
    const page = await newcomer.newPage();
    await talker.mouse.down();
    const start = await by(page);
    const heardAt = await firstSound(page);
    await talker.mouse.up();
    await page.close();
    return heardAt - start;
  };
  for (let turn = 0; turn < times; turn += 1) {
    const start = await openBarePair(bare);
    entries.bare.push((await firstSound(bare)) - start);
    entries.byClick.push(await enter((page) => enterByClick(page, channel.name)));
    entries.byAddress.push(await enter((page) => enterByAddress(page, channel.rtcSession)));
  }
  return entries;
}
