import { type Apart, type ApartDeps, createApart, type ServerVersion } from './apart.ts';
import type { Attention } from './renewal.ts';
import type { AppStorage } from './storage.ts';

/** Watches this browser's page, which has a socket. */
export const browserApart = (
  renewal: ApartDeps['renewal'],
  { keepForReload, readForReload }: Pick<AppStorage, 'keepForReload' | 'readForReload'>,
  mayReload: boolean,
): Apart =>
  createApart({
    renewal,
    own: ownVersion(),
    mayReload,
    last: {
      readAt: () => Number(readForReload('renewedAt')),
      readServer: () => readForReload('renewedFor'),
      write: (at, server) => keepForReload('renewedFor', server) && keepForReload('renewedAt', String(at)),
    },
    attention: createPageAttention(window, Date.now),
    now: Date.now,
    every(ms, act) {
      const timer = setInterval(act, ms);
      return () => clearInterval(timer);
    },
    random: Math.random,
  });

const stated = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;

/** The version that the build wrote into the page (vite/service-worker.ts); undefined in the dev server. */
export function ownVersion(): ServerVersion | undefined {
  const [contract, build] = [stated('contract'), stated('build')];
  return contract === undefined || build === undefined ? undefined : { contract, build };
}

/** Work that a reload would lose: elements marked as unsaved, running actions, and everything that opens over a page. */
const WORK = '[data-unsaved], [data-loading=true], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]';
const INPUTS = ['keydown', 'pointerdown', 'input', 'wheel'] as const;
/** Longer than the time between two checks. */
const RECENT_MS = 2_000;

/** Returns what the user is doing on any page [APP15]. It watches inputs from the first call on. */
export function createPageAttention(page: Window, now: () => number): () => Attention {
  let inputAt: number | undefined;
  const watch = () => {
    inputAt = Number.NEGATIVE_INFINITY;
    const note = () => {
      inputAt = now();
    };
    for (const type of INPUTS) page.addEventListener(type, note, { capture: true, passive: true });
  };
  return () => {
    if (inputAt === undefined) watch();
    const { document } = page;
    const isRecent = inputAt !== undefined && now() - inputAt < RECENT_MS;
    // Pages with unsaved work ask before they are left.
    const isAsked = !page.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    const isWorking = isRecent || isAsked || document.querySelector(WORK) !== null || isTyping(document.activeElement);
    return isWorking ? 'working' : 'none';
  };
}

/** Whether the focus is in a field whose text a reload would lose; drafts of messages survive. */
const isTyping = (element: Element | null): boolean =>
  (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) &&
  element.value !== '' &&
  !element.matches('[data-kept], [type=checkbox], [type=radio], [type=range]');
