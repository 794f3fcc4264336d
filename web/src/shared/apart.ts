import type { ServerPayload } from '@pressel/contract/realtime';
import type { Attention, Renewal, RenewalState } from './renewal.ts';
import type { AppStorage } from './storage.ts';

export type ServerVersion = ServerPayload<'server_version'>;

interface ApartDeps {
  renewal: Pick<Renewal, 'attention' | 'isServerThere' | 'offer' | 'onReport' | 'reload' | 'setApart'>;
  /** The page's own build and contract; undefined in the dev server, where nothing is compared. */
  own: ServerVersion | undefined;
  /** Whether the page could be opened again. False where it alone has the token of its link. */
  mayReload: boolean;
  /** Facts that outlive the reload: when the page last reloaded itself, ms, and for which server. */
  last: {
    readAt: () => number;
    readServer: () => string | null;
    /** Returns false when it can't be kept. */
    write: (at: number, server: string) => boolean;
  };
  /** The user's work on the page itself: typed texts, open dialogs. */
  attention: () => Attention;
  now: () => number;
  every: (ms: number, act: () => void) => () => void;
  random: () => number;
}

/** Many pages learn at the same moment that the server is another one. Each waits up to this long [APP15]. */
export const SPREAD_MS = 20_000;
/** Nobody minds a reload after this long without input [APP15]. */
export const QUIET_MS = 5_000;
/** A page that can't read what it is sent may miss talks, so it waits for others' talks no longer than this [APP15]. */
export const PATIENCE_MS = 60_000;
/** Two reloads within this time are a loop. */
const ONCE_MS = 5 * 60_000;
const CHECK_MS = 1_000;

/** Whether a reload is acceptable at a moment [APP15]. */
const isAcceptable = (attentions: readonly Attention[], isDeafFor: number): boolean =>
  attentions.every((one) => one === 'none' || (one === 'listening' && isDeafFor >= PATIENCE_MS));

const nameOf = (server: ServerVersion | undefined): string =>
  server === undefined ? 'unknown' : `${server.contract} ${server.build}`;

interface Apart {
  /** Called when the server said which version it is. */
  serverIs(server: ServerVersion): void;
  close(): void;
}

/**
 * Learns whether page and server speak different contracts, or could not read each other. Then it makes the page reload
 * once when nobody minds. Not for pages at the doors, which have no socket and could miss nothing.
 */
export function createApart(deps: ApartDeps): Apart {
  const { renewal, own, mayReload, last, now } = deps;
  let server: ServerVersion | undefined;
  let isDeaf = false;
  /** Whether the browser can keep that the page reloaded. */
  let isKeeping = true;
  let apart: RenewalState['apart'] = 'no';
  let stopWaiting: (() => void) | undefined;

  const apartNow = (): typeof apart => {
    // The dev server's page has no contract.
    if (own === undefined || !(isDeaf || (server !== undefined && server.contract !== own.contract))) return 'no';
    if (!mayReload) return 'link';
    // A page that can't know of its reload must not reload.
    return isKeeping && last.readServer() !== nameOf(server) ? 'reloads' : 'asks';
  };
  const compare = () => {
    apart = apartNow();
    renewal.setApart(apart);
    renewal.offer(own !== undefined && (server?.build ?? own.build) !== own.build, 'server');
    if (apart === 'reloads') stopWaiting ??= wait();
    else stop();
  };
  const stop = () => {
    stopWaiting?.();
    stopWaiting = undefined;
  };
  /** Reloads once the moment is right. */
  const wait = () => {
    const since = now();
    const delay = deps.random() * SPREAD_MS;
    let quietSince: number | undefined;
    let isAsking = false;
    const isRight = () => {
      const waited = now() - since;
      const isQuiet = isAcceptable([deps.attention(), ...renewal.attention()], isDeaf ? waited : 0);
      quietSince = isQuiet ? (quietSince ?? now()) : undefined;
      return now() - (quietSince ?? now()) >= QUIET_MS && waited >= delay && now() - last.readAt() > ONCE_MS;
    };
    const reloadIfRight = async () => {
      if (isAsking || !isRight()) return;
      isAsking = true;
      const isThere = await renewal.isServerThere();
      isAsking = false;
      if (!isThere) quietSince = undefined;
      if (apart !== 'reloads' || !isRight()) return;
      isKeeping = last.write(now(), nameOf(server));
      if (!isKeeping) return compare();
      stop();
      await renewal.reload();
    };
    return deps.every(CHECK_MS, () => void reloadIfRight());
  };

  const unhear = renewal.onReport((contract) => {
    if (contract === undefined) isDeaf = true;
    else if (contract !== server?.contract) server = { contract, build: null };
    compare();
  });
  return {
    serverIs(next) {
      server = next;
      compare();
    },
    close() {
      unhear();
      stop();
    },
  };
}

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
