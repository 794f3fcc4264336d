import { dirname, join } from 'node:path';
import type { BrowserContext } from 'playwright';

/** How Chromium must be started so that voice works without a person, a device or a display. */
export const CHROMIUM_ARGS: readonly string[] = [
  // Chromium's sandbox refuses to run as root, as containers do.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
  // Pages in the background must go on at full speed: each of them is somebody's screen.
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export const launchOptions = {
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: [...CHROMIUM_ARGS],
  // Playwright mutes; sound is what these tests are about.
  ignoreDefaultArgs: ['--mute-audio'],
};

/**
 * Pages of tests live for seconds. V8's slower compiler (Turbofan) would make code faster too late, and no process is kept for the next
 * page. The quicker compiler (Maglev) stays: it saves tours over many screens a tenth of their work, most of it in axe. A list of
 * features replaces Playwright's own, so the ones that Playwright needs are in it again. The fake camera has half of its pictures, which
 * saves an eighth in tests of video.
 */
const FOR_SHORT_LIVES = [
  '--js-flags=--no-turbofan',
  `--disable-features=${[
    'SpareRendererForSitePerProcess',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'HttpsUpgrades',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
  ].join(',')}`,
  '--use-fake-device-for-media-stream=fps=10',
];

/**
 * Options for tests. The headless shell is the same engine without a window, and takes two thirds of the time. It knows no refused
 * microphone and no notifications of a service worker, so tests of those take `launchOptions`.
 */
export const quickLaunchOptions = {
  ...launchOptions,
  args: [...launchOptions.args, ...FOR_SHORT_LIVES],
  executablePath: process.env.CHROMIUM_SHELL_PATH ?? launchOptions.executablePath,
};

/** Firefox without a person, a device or a display. It gets by preferences what Chromium gets by arguments. */
export const firefoxOptions = {
  // It uses WebDriver BiDi, so that any Firefox will do: people don't use Playwright's own build of it.
  channel: 'moz-firefox',
  executablePath: join(import.meta.dirname, 'firefox.ts'),
  // Without a display, Firefox draws no WebGL, hence no map.
  headless: process.env.FIREFOX_DISPLAY === undefined,
  env: {
    ...process.env,
    // firefox.ts needs this Node.js.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    DISPLAY: process.env.FIREFOX_DISPLAY,
  },
  firefoxUserPrefs: {
    'media.navigator.streams.fake': true,
    'media.navigator.permission.disabled': true,
    'media.autoplay.default': 0,
    // Without a sound card no AudioContext runs; this one exists in memory only.
    'media.cubeb.force_mock_context': true,
    // Both ends of each link are on this machine, which has no name that mDNS would find.
    'media.peerconnection.ice.loopback': true,
    'media.peerconnection.ice.obfuscate_host_addresses': false,
    'ui.prefersReducedMotion': 1,
    // Pages in the background must go on at full speed.
    'dom.min_background_timeout_value': 4,
    'dom.timeout.enable_budget_timer_throttling': false,
  },
};

/**
 * Makes choices in a context's browser before it opens its first page. Playwright would open and close a page of its own to fill the
 * storage, with a process of its own.
 */
export async function chooseAhead(
  context: BrowserContext,
  origin: string,
  choices: Record<string, string | undefined>,
): Promise<void> {
  const made = Object.entries(choices).filter(([, value]) => value !== undefined);
  if (made.length === 0) return;
  await context.addInitScript(
    ([at, entries]) => {
      // Later pages find what the app has made of the choices. The app empties storage, but knows nothing of this cookie.
      const mark = 'chosen-ahead=yes';
      if (self.origin !== at || document.cookie.includes(mark)) return;
      // biome-ignore lint/suspicious/noDocumentCookie: the other way is asynchronous, and the page's own scripts come next
      document.cookie = `${mark}; path=/`;
      for (const [name, value] of entries) localStorage.setItem(name, JSON.stringify(value));
    },
    [origin, made] as const,
  );
}

/** Signs somebody in before a context opens its first page. */
export async function signInAhead(context: BrowserContext, token: string): Promise<void> {
  await context.addInitScript((value) => {
    // Firefox begins with an empty page, which has no origin, hence no storage.
    if (self.origin !== 'null') sessionStorage.setItem('TOKEN_KEY', value);
  }, token);
}

/** For measurements: the service worker would fetch all of the app some seconds after the first screen. */
export const WITHOUT_WORKER = { serviceWorkers: 'block' } as const;
