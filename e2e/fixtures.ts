import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from '@playwright/test';
import { type Api, createApi, type Person } from './harness/api.ts';
import { chooseAhead, signInAhead } from './harness/browser.ts';
import type { NativePeer } from './harness/native-peer.ts';
import { createPacer, readOpusVoices } from './harness/opus-voice.ts';
import { giveVoiceAndEar, takeHeard } from './harness/page-audio.ts';
import { type PresselProcess, startPressel } from './harness/server-process.ts';
import { openStallingPath, type StallingPath } from './harness/stalling-path.ts';
import { recognise, type Voice } from './harness/voice-signal.ts';
import type { Language } from './harness/words.ts';

/** A worker's server, which its tests share one after the other. */
interface Host {
  server: PresselProcess;
  admin: Person;
  /** Tests that ran on it. */
  tests: number;
}

export interface World {
  server: PresselProcess;
  /** All that it makes is this test's own: last names, logins and names of channels occur nowhere else. */
  api: Api;
  /** The first account, hence administrator. All tests on the server share it. */
  admin: Person;
  /** Makes a name this test's own. Filtering a list by it shows nothing of other tests. */
  own(name: string): string;
}

export interface OpenOptions {
  /** The voice of their microphone; `up` by default. */
  voice?: Voice;
  context?: BrowserContextOptions;
  /** The language that was chosen in this browser before. */
  language?: Language;
  colorScheme?: 'light' | 'dark';
  /** Console errors that the test brings about on purpose. */
  expectedErrors?: RegExp;
  /** A browser other than the worker's. */
  browser?: Browser;
  /**
   * Puts the page under the server's content security policy, as in everybody's browser. The policy forbids the voices and ears of the
   * tests, so the microphone is Chromium's own fake. A breach of the policy is an error in the console.
   */
  isUnderPolicy?: boolean;
  /** Prepares the browser before it opens anything. */
  prepare?: (context: BrowserContext) => Promise<void>;
  /** Prepares the page before it shows the path. */
  preparePage?: (page: Page) => Promise<void>;
}

/** Opens a browser of their own for somebody, signed in (or not, for null), and shows a path. */
export type Open = (person: Person | null, path: string, options?: OpenOptions) => Promise<Page>;

/** Starts a server of the test's own. It ends once no page is open any more, because a server that ends refuses what pages still fetch. */
export type Serve = (env?: NodeJS.ProcessEnv) => Promise<PresselProcess>;

/** Lets somebody into a room without a browser, with a voice of their own (`down` by default). They leave after the test. */
export type Enter = (person: Person, rtcSession: string, voice?: Voice) => Promise<NativePeer>;

/** Errors that the browsers themselves report while a server is away: the page shows its banner instead. */
const LINK_ERRORS =
  /Firefox can’t establish a connection|The connection to \S+ was interrupted|WebSocket connection to|WebSocket is already in CLOSING|net::ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED|ERR_INTERNET_DISCONNECTED/u;

export const test = base.extend<
  { world: World; serve: Serve; open: Open; enter: Enter; path: StallingPath; awayMs: number },
  { host: Host; serverEnv: NodeJS.ProcessEnv }
>({
  /** Environment of the server, for files that need another than the default: `test.use({ serverEnv: … })`. */
  serverEnv: [{}, { scope: 'worker', option: true }],

  host: [
    async ({ serverEnv }, use) => {
      const server = await startPressel(serverEnv);
      await use({ server, admin: await createApi(server.origin).person('Camille'), tests: 0 });
      await server.dispose();
    },
    { scope: 'worker', timeout: 240_000 },
  ],

  world: async ({ host }, use) => {
    host.tests += 1;
    const mark = `t${String(host.tests).padStart(3, '0')}`;
    const own = (name: string) => `${name} ${mark}`;
    await use({ server: host.server, api: createApi(host.server.origin, own), admin: host.admin, own });
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
  serve: async ({}, use) => {
    const servers: PresselProcess[] = [];
    await use(async (env) => {
      const server = await startPressel(env);
      servers.push(server);
      return server;
    });
    await Promise.all(servers.map((server) => server.dispose()));
  },

  /** How long everything takes on the `path`, each way, ms. */
  awayMs: [0, { option: true }],

  /** A way to the server that can stand still, for somebody whose `context` has its origin as `baseURL`. */
  path: async ({ world, awayMs }, use) => {
    const path = await openStallingPath(world.server.origin, awayMs);
    await use(path);
    await path.close();
  },

  // Needs `serve` so that its pages are closed before those servers end.
  open: async ({ browser, world, serve: _ }, use) => {
    const contexts: BrowserContext[] = [];
    const errors: string[] = [];
    await use(async (person, path, options = {}) => {
      const { voice = 'up', language, colorScheme, expectedErrors, isUnderPolicy = false } = options;
      const context = await (options.browser ?? browser).newContext({
        baseURL: world.server.origin,
        permissions: ['microphone'],
        bypassCSP: !isUnderPolicy,
        reducedMotion: 'reduce',
        ...options.context,
      });
      contexts.push(context);
      if (options.context?.storageState === undefined) {
        // The first steps are about a new server, and this one is not new.
        const firstSteps = person === null ? {} : { [`firstSteps.${person.id}`]: 'over' };
        await chooseAhead(context, world.server.origin, { language, colorScheme, ...firstSteps });
      }
      if (!isUnderPolicy) await giveVoiceAndEar(context, voice);
      await options.prepare?.(context);
      if (person !== null) await signInAhead(context, person.token);
      const page = await context.newPage();
      const note = (said: string) => {
        if (LINK_ERRORS.test(said) || expectedErrors?.test(said)) return;
        errors.push(`${person?.firstName ?? 'nobody'}: ${said}`);
      };
      // Firefox reports its own errors of the link as errors of a page.
      page.on('pageerror', (error) => note(error.stack ?? error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') note(`${message.text()} (${message.location().url})`);
      });
      await options.preparePage?.(page);
      await page.goto(path);
      return page;
    });
    await Promise.all(contexts.map((context) => context.close()));
    expect(errors, 'errors in the console').toEqual([]);
  },

  enter: async ({ world }, use) => {
    // Only tests that need native code load it.
    const { enterNatively } = await import('./harness/native-peer.ts');
    const pacer = createPacer();
    const voices = readOpusVoices();
    const peers: NativePeer[] = [];
    await use(async ({ token }, room, voice = 'down') => {
      const peer = await enterNatively({ origin: world.server.origin, token, room, voice: voices[voice], pacer });
      peers.push(peer);
      return peer;
    });
    for (const peer of peers) peer.vanish();
    pacer.close();
  },
});

export { expect };

export const roomPath = (rtcSession: string) => `/groupCallView/${encodeURIComponent(rtcSession)}`;
export const phonePath = (rtcSession: string) => `/mobileCallView/${encodeURIComponent(rtcSession)}`;

/** Address of the channels' list, narrowed to what one test made: other tests left theirs on the server. */
export const channelsPath = (filter: string) => `/channelsList?q=${encodeURIComponent(filter)}`;
export const usersPath = (filter: string) => `/usersList?q=${encodeURIComponent(filter)}`;

/** The talk button, whatever it says. */
export const talkButton = (page: Page) => page.locator('[data-talk-button]');

/** Tiles of the room: one for each participant, oneself included. */
export const tiles = (page: Page) => page.locator('[data-tile]');

/** Setting up links takes several attempts where the machine is very busy. */
const LINK_PATIENCE = { timeout: 90_000 };
/** Patience with the effects of one talk, before it is given up and tried again. */
export const TALK_PATIENCE = { timeout: 20_000 };

/** Waits until somebody is in the room and sees so many participants with a working voice link. */
export async function expectReady(page: Page, participants: number): Promise<void> {
  await expect(talkButton(page)).toHaveAttribute('data-state', /idle|busy/u, LINK_PATIENCE);
  await expect(tiles(page)).toHaveCount(participants, LINK_PATIENCE);
  await expect(page.locator('[data-tile][data-presence=connected], [data-tile][data-presence=talking]')).toHaveCount(
    participants - 1,
    LINK_PATIENCE,
  );
}

/** Holds the talk button down. */
export async function press(page: Page): Promise<void> {
  await talkButton(page).hover();
  await page.mouse.down();
}

/**
 * Presses until the page talks and the talk has had its effect. A page that is too busy to renew its lease loses the floor, which takes a
 * fresh press. For tests that are about something else than the floor.
 */
export async function talk(page: Page, brings: () => Promise<unknown> = async () => undefined): Promise<void> {
  await expect(async () => {
    await page.mouse.up();
    await press(page);
    await expect(talkButton(page)).toHaveAttribute('data-state', 'talking', TALK_PATIENCE);
    await brings();
  }).toPass();
}

export const release = (page: Page): Promise<void> => page.mouse.up();

/** Milliseconds of each voice that a page heard since the last call, over all who are in the room. */
export async function heard(page: Page): Promise<Record<Voice, number>> {
  const sum = { up: 0, down: 0 };
  for (const { samples } of await takeHeard(page)) {
    const { up, down } = recognise(samples);
    sum.up += up;
    sum.down += down;
  }
  return sum;
}

const SILENCE = { up: 0, down: 0 };

/** Forgets the past, listens for some time, and returns what was heard in it. */
async function listenFor(page: Page, ms: number): Promise<Record<Voice, number>> {
  await takeHeard(page);
  const end = Date.now() + ms;
  // Sound takes the time it takes: this is a measurement, not a wait for something to happen.
  await expect.poll(() => Date.now() >= end, { timeout: ms + 60_000, intervals: [ms, 20] }).toBe(true);
  return heard(page);
}

/**
 * Waits until nothing is heard any more, and listens on, to see that nothing comes after that. The bench press-to-ear
 * measures how soon it is silent: sound that a busy machine holds up is heard late.
 */
export async function expectSilence(page: Page): Promise<void> {
  await expect.poll(() => listenFor(page, 500)).toEqual(SILENCE);
  expect(await listenFor(page, 700)).toEqual(SILENCE);
}

/** Waits until a page heard so much of a voice (ms, since the last call). Returns all that it heard in that time. */
export async function expectHeard(
  page: Page,
  voice: Voice,
  ms: number,
  patience = LINK_PATIENCE,
): Promise<Record<Voice, number>> {
  const sum = { ...SILENCE };
  await expect
    .poll(async () => {
      const { up, down } = await heard(page);
      sum.up += up;
      sum.down += down;
      return sum[voice];
    }, patience)
    .toBeGreaterThan(ms);
  return sum;
}
