import { askFirst, type FirstAnswers } from '#src/shared/api/first-answers.ts';
import { loadWords } from '#src/shared/i18n/words.ts';
import { WORDS_BUNDLES } from '#src/shared/i18n/words-bundles.ts';
import { browserRenewal } from '#src/shared/renewal.ts';
import type { Links } from '../main.tsx';
import { type AppChunk, type Entrance, type EntranceArgs, entranceOf, type FrameTitle } from './entrance.ts';
import { startAgain } from './start-again.ts';
import { takeCallLink, takeGuestLink, tokenIn } from './take-links.ts';

/**
 * The first script of the page, small and without libraries. It requests everything that the first screen needs at
 * once: code, words, session and list. Meanwhile it fills the static frame of index.html.
 */
const PARTS: Record<AppChunk, () => Promise<unknown>> = {
  account: () => import('../app/account-routes.tsx'),
  activities: () => import('../app/activities-route.tsx'),
  channels: () => import('../app/channels-routes.tsx'),
  console: () => import('../app/console-layout.tsx'),
  dashboard: () => import('../app/dashboard-route.tsx'),
  doors: () => import('../app/doors.tsx'),
  room: () => import('../app/room-routes.tsx'),
  signUp: () => import('../app/sign-up-route.tsx'),
  transfer: () => import('../app/transfer-routes.tsx'),
  users: () => import('../app/users-route.tsx'),
  video: () => import('../app/video-route.tsx'),
};

/** Storage may be forbidden. The app itself reads by shared/storage.ts. */
function stored(area: 'localStorage' | 'sessionStorage', name: string): string | null {
  try {
    return window[area].getItem(name);
  } catch {
    return null;
  }
}

/** Preferences are kept as JSON. */
const preference = (name: string) => stored('localStorage', name)?.replace(/^"(.*)"$/u, '$1') ?? null;

/** Stored as shared/storage.ts does. Throws where nothing can be kept: a page that can't know of its reload must not reload. */
const lastRenewal = {
  read: () => Number(stored('sessionStorage', 'renewedAt')) || 0,
  write: (at: number) => window.sessionStorage.setItem('renewedAt', String(at)),
};

/** Longest wait for a frame: some browsers render none of a covered window. */
const PICTURE_MS = 250;

/** Resolves when the browser has painted the page; at once in a hidden tab. */
const framed = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.visibilityState !== 'visible') resolve();
    setTimeout(resolve, PICTURE_MS);
    requestAnimationFrame(() => setTimeout(resolve));
  });

/** Returns the static frame's words in the chosen language. They are in the page (vite/frame-words.ts). */
function frameWords(language: string): Record<string, string> {
  const text = document.querySelector<HTMLTemplateElement>('#frame-words')?.content.textContent ?? '{}';
  const words = JSON.parse(text) as Partial<Record<string, Record<string, string>>>;
  return words[language] ?? words.fr ?? {};
}

const write = (where: string, text: string | undefined): void => {
  for (const place of document.querySelectorAll(where)) place.textContent = text ?? null;
};

/** Makes the static frame say at once which page this is. */
function dressFrame(title: FrameTitle, language: string): void {
  const said = frameWords(language);
  document.documentElement.dataset.frameTitle = title;
  write('.frame-title', said[title]);
  write('.frame-more', said.roomMore);
}

async function boot(): Promise<void> {
  const { pathname: path, search } = window.location;
  // Runs before anything else can keep the address with its token.
  const link = takeCallLink(window);
  const guestToken = takeGuestLink(window);
  const kept = stored('sessionStorage', 'TOKEN_KEY') ?? stored('localStorage', 'TOKEN_KEY');
  // A call link signs in the user that it names, whoever else is signed in here.
  const token = guestToken !== undefined ? null : link === undefined ? kept : tokenIn(link);
  const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
  const args: EntranceArgs = { path, search, token, guestToken, preference, timeZone };
  const { frame, title, parts, words, calls } = entranceOf(args);
  const page = document.documentElement;
  page.dataset.frame = frame;
  if (preference('isNavUnfolded') === 'true') page.dataset.navUnfolded = '';
  const language = preference('language') ?? 'fr';
  if (title !== undefined) dressFrame(title, language);

  const first = askFirst(calls, { fetch: (input, init) => window.fetch(input, init), token });
  // A browser's first format of dates takes 18 to 28 ms of processor time. Pages with dates make it now, while the answers are on the way and
  // nothing can be pressed yet. After the first paint it would hold up what is pressed.
  if (frame === 'console' && title !== 'room') new Intl.DateTimeFormat();
  try {
    await open({ parts, words, language }, first, { call: link, guest: guestToken });
  } catch {
    await startAgain({
      renewal: browserRenewal(lastRenewal),
      mayReload: link === undefined && guestToken === undefined,
      // watch-start.ts handles it in the page itself.
      say: (reload) => window.dispatchEvent(new CustomEvent('startgone', { detail: reload })),
      window,
    });
  }
}

interface Wanted extends Pick<Entrance, 'parts' | 'words'> {
  language: string;
}

async function open({ parts, words, language }: Wanted, first: FirstAnswers, links: Links): Promise<void> {
  // Meanwhile the page loads what main.tsx needs; running that takes longer than painting the frame.
  await framed();
  // Imported in the order of need, so that each runs in a task of its own when it arrives.
  import('react-dom/client').catch(() => undefined);
  import('@pressel/contract/credentials').catch(() => undefined);
  // Imported before the parts, also because its styles come before theirs.
  const main = import('../main.tsx');
  for (const bundle of words) loadWords(language, WORDS_BUNDLES[bundle][0]).catch(() => undefined);
  for (const part of parts) PARTS[part]().catch(() => undefined);
  const { start } = await main;
  // The app continues in another task, so the page paints and responds before it.
  await framed();
  await start(first, links);
}

// An old browser has its page already (first-script.ts).
if (document.documentElement.dataset.oldBrowser === undefined) void boot();
