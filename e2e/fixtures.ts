import { type BrowserContext, type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import { type Api, createApi, type Person } from './harness/api.ts';
import { giveVoiceAndEar, takeHeard } from './harness/page-audio.ts';
import { type PresselProcess, startPressel } from './harness/server-process.ts';
import { recognise, type Voice } from './harness/voice-signal.ts';

export interface World {
  server: PresselProcess;
  api: Api;
  /** The first account, hence administrator. */
  admin: Person;
}

export interface OpenOptions {
  /** Which voice their microphone has; `up` unless told. */
  voice?: Voice;
  context?: BrowserContextOptions;
  /** Console errors that the test brings about on purpose. */
  expectedErrors?: RegExp;
}

/** Opens a browser of their own for somebody, signed in (or not, for null), and shows a path. */
export type Open = (person: Person | null, path: string, options?: OpenOptions) => Promise<Page>;

/** Said by Chromium itself while a server is away: the page shows its banner instead. */
const LINK_ERRORS =
  /WebSocket connection to|WebSocket is already in CLOSING|net::ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/u;

export const test = base.extend<{ open: Open }, { world: World; serverEnv: NodeJS.ProcessEnv }>({
  /** Environment of the server, for files that need another than the default: `test.use({ serverEnv: … })`. */
  serverEnv: [{}, { scope: 'worker', option: true }],

  world: [
    async ({ serverEnv }, use) => {
      const server = await startPressel(serverEnv);
      const api = createApi(server.origin);
      await use({ server, api, admin: await api.person('Camille') });
      await server.dispose();
    },
    { scope: 'worker', timeout: 60_000 },
  ],

  open: async ({ browser, world }, use) => {
    const contexts: BrowserContext[] = [];
    const errors: string[] = [];
    await use(async (person, path, { voice = 'up', context: contextOptions, expectedErrors } = {}) => {
      const context = await browser.newContext({
        baseURL: world.server.origin,
        permissions: ['microphone'],
        bypassCSP: true,
        reducedMotion: 'reduce',
        ...contextOptions,
      });
      contexts.push(context);
      await giveVoiceAndEar(context, voice);
      if (person !== null)
        await context.addInitScript((token) => sessionStorage.setItem('TOKEN_KEY', token), person.token);
      const page = await context.newPage();
      page.on('pageerror', (error) => errors.push(`${person?.firstName ?? 'nobody'}: ${error.stack ?? error.message}`));
      page.on('console', (message) => {
        if (message.type() !== 'error' || LINK_ERRORS.test(message.text()) || expectedErrors?.test(message.text()))
          return;
        errors.push(`${person?.firstName ?? 'nobody'}: ${message.text()} (${message.location().url})`);
      });
      await page.goto(path);
      return page;
    });
    await Promise.all(contexts.map((context) => context.close()));
    expect(errors, 'errors in the console').toEqual([]);
  },
});

export { expect };

export const roomPath = (rtcSession: string) => `/groupCallView/${encodeURIComponent(rtcSession)}`;

/** Their talk button, whatever it says. */
export const talkButton = (page: Page) => page.locator('[data-talk-button]');

/** One for each participant, oneself included. */
export const tiles = (page: Page) => page.locator('[data-tile]');

/** Waits until somebody is in the room and sees so many participants with a working voice link. */
export async function expectReady(page: Page, participants: number): Promise<void> {
  await expect(talkButton(page)).toHaveAttribute('data-state', /idle|busy/u);
  await expect(tiles(page)).toHaveCount(participants);
  await expect(page.locator('[data-tile][data-presence=connected], [data-tile][data-presence=talking]')).toHaveCount(
    participants - 1,
  );
}

/** Holds the talk button down. */
export async function press(page: Page): Promise<void> {
  await talkButton(page).hover();
  await page.mouse.down();
}

export const release = (page: Page): Promise<void> => page.mouse.up();

/** Milliseconds of each voice that a page heard since it was last asked, over all who are in the room. */
export async function heard(page: Page): Promise<Record<Voice, number>> {
  const sum = { up: 0, down: 0 };
  for (const { samples } of await takeHeard(page)) {
    const { up, down } = recognise(samples);
    sum.up += up;
    sum.down += down;
  }
  return sum;
}

/** What is heard during a time of listening, the past forgotten. */
export async function listenFor(page: Page, ms: number): Promise<Record<Voice, number>> {
  await takeHeard(page);
  const end = Date.now() + ms;
  // Sound takes the time it takes: this is a measurement, not a wait for something to happen.
  await expect.poll(() => Date.now() >= end, { timeout: ms + 5_000, intervals: [ms, 20] }).toBe(true);
  return heard(page);
}

/** Waits until a page hears so much of a voice (ms, in all since the last time it was asked). */
export async function expectHeard(page: Page, voice: Voice, ms: number): Promise<void> {
  let total = 0;
  await expect
    .poll(async () => {
      total += (await heard(page))[voice];
      return total;
    })
    .toBeGreaterThan(ms);
}
