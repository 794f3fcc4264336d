import { forgetPage } from './build-cache.ts';
import { createListeners } from './listeners.ts';
import type { SnapshotSource } from './use-snapshot.ts';

/** A part of the app could not be loaded: after an upgrade the server no longer has the files of the older version. */
export class ChunkGoneError extends Error {
  override readonly name = 'ChunkGoneError';
}

/** An `import()` whose failure the app recognises (`CrashPage`). */
export const loadableChunk =
  <T>(load: () => Promise<T>) =>
  async (): Promise<T> => {
    try {
      return await load();
    } catch (cause) {
      throw new ChunkGoneError('A part of the app is gone', { cause });
    }
  };

/**
 * The user's activity. `listening`: others talk, or it isn't certain that they would be heard after a reload.
 * `working`: the user talks, is in a call, shows a picture or has something that a reload would lose.
 */
export type Attention = 'none' | 'listening' | 'working';

export interface RenewalState {
  /** A newer version is there, and the next load gets it. */
  isNewer: boolean;
  /** Somebody is in a room or a call. */
  isHeld: boolean;
  /**
   * Page and server speak different contracts, or something could not be read, so news may be missed (shared/apart.ts).
   * `reloads`: by itself, when nobody minds. `asks`: the user must, because it has reloaded for this server before.
   * `link`: a reload would lose the page's link.
   */
  apart: 'no' | 'reloads' | 'asks' | 'link';
}

export interface Renewal extends SnapshotSource<RenewalState> {
  /**
   * Says that somebody is in a room or a call, until the returned function is called. Then no part that is gone reloads
   * the page, and another contract does so only when `attention` is none.
   */
  blockReload(attention?: () => Attention): () => void;
  /** The activities of the holders of the page. */
  attention(): Attention[];
  /**
   * Reloads the page, once. False when the user must decide: somebody holds the page, a reload did not help, or the
   * server is away.
   */
  renew(): Promise<boolean>;
  /** Reloads the page because the user wants it. Without a server this device's copy is loaded. */
  reload(): Promise<void>;
  /** Whether the server answers: without it a reload would leave nothing. */
  isServerThere(): Promise<boolean>;
  /** Calls `act` before each reload, except one by `renew`, until the returned function is called. */
  beforeReload(act: () => void): () => void;
  /** Says whether a newer version is there, by one of two sources. It waits for the user: nothing reloads for it. */
  offer(isNewer: boolean, by?: 'worker' | 'server'): void;
  setApart(apart: RenewalState['apart']): void;
  /** Reports data that could not be read: by the server, which speaks this contract, or by this page. */
  report(contract?: string): void;
  onReport(hear: (contract: string | undefined) => void): () => void;
  /** Makes the browser look for a newer version, at most once in LOOK_MS. */
  look(): void;
}

interface RenewalDeps {
  reload: () => void;
  /** Makes the next load ask the server for the page, instead of using this device's copy. */
  forgetPage: () => Promise<void>;
  /** Makes the browser ask for the server's present worker. */
  look: () => void;
  /** Whether the server answers: without it a reload would leave nothing. */
  isServerThere: () => Promise<boolean>;
  /** The time of the page's last reload by itself, ms. It outlives the reload. */
  last: { read: () => number; write: (at: number) => void };
  now: () => number;
}

/** Two reloads within this time are a loop. */
const ONCE_MS = 5 * 60_000;
/**
 * A server that restarts, or a window that comes to the front, may have something newer. If either flickers, the
 * browser needn't look each time.
 */
export const LOOK_MS = 60_000;

export function createRenewal({ reload, forgetPage, look, isServerThere, last, now }: RenewalDeps): Renewal {
  const listeners = createListeners();
  const reports = createListeners<string | undefined>();
  const preparing = createListeners();
  const holders = new Map<symbol, () => Attention>();
  const newer = new Set<string>();
  let state: RenewalState = { isNewer: false, isHeld: false, apart: 'no' };
  let lookedAt = now();
  const mayReload = () => holders.size === 0 && now() - last.read() > ONCE_MS;
  const reloadFromServer = async () => {
    await forgetPage().catch(() => undefined);
    reload();
  };
  const set = (next: Partial<RenewalState>) => {
    const { isNewer, isHeld, apart } = { ...state, ...next };
    if (isNewer === state.isNewer && isHeld === state.isHeld && apart === state.apart) return;
    state = { isNewer, isHeld, apart };
    listeners.notify();
  };
  return {
    getSnapshot: () => state,
    subscribe: listeners.add,
    blockReload(attention = () => 'working') {
      const holder = Symbol('holder');
      holders.set(holder, attention);
      set({ isHeld: true });
      return () => {
        holders.delete(holder);
        set({ isHeld: holders.size > 0 });
      };
    },
    attention: () => [...holders.values()].map((one) => one()),
    async renew() {
      if (!mayReload() || !(await isServerThere()) || !mayReload()) return false;
      last.write(now());
      await reloadFromServer();
      return true;
    },
    async reload() {
      preparing.notify();
      if (await isServerThere()) await reloadFromServer();
      else reload();
    },
    isServerThere,
    beforeReload: preparing.add,
    offer(isNewer, by = 'worker') {
      if (isNewer) newer.add(by);
      else newer.delete(by);
      set({ isNewer: newer.size > 0 });
    },
    setApart: (apart) => set({ apart }),
    report: reports.notify,
    onReport: reports.add,
    look() {
      if (now() - lookedAt < LOOK_MS) return;
      lookedAt = now();
      look();
    },
  };
}

/** Longest wait for the server's sign of life. */
const ANSWER_MS = 5_000;

/** Reloads this browser's page, and makes the browser look for a newer version. */
export const browserRenewal = (last: RenewalDeps['last']): Renewal =>
  createRenewal({
    reload: () => window.location.reload(),
    forgetPage: async () => ('caches' in window ? forgetPage(window.caches) : undefined),
    look: () => setTimeout(findNewer, Math.random() * SPREAD_MS),
    isServerThere: () =>
      window.fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    last,
    now: Date.now,
  });

/** Makes the browser compare its worker with the server's. */
const findNewer = () =>
  void navigator.serviceWorker
    ?.getRegistration()
    .then((registration) => registration?.update())
    .catch(() => undefined);
/**
 * All pages look for a newer version when a server comes back. This spreads them, because they enter their rooms again
 * at that moment.
 */
const SPREAD_MS = 60_000;
