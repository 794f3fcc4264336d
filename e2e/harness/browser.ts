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

/** What a browser keeps of choices made in it. */
export function chosenBefore(origin: string, choices: Record<string, string | undefined>) {
  const localStorage = Object.entries(choices)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  return { cookies: [], origins: localStorage.length === 0 ? [] : [{ origin, localStorage }] };
}

/** For windows in which something is measured: the service worker fetches all of the app some seconds after the first screen. */
export const WITHOUT_WORKER = { serviceWorkers: 'block' } as const;
