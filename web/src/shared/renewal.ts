import { createListeners } from './listeners.ts';
import type { SnapshotSource } from './use-snapshot.ts';

/** A part of the app could not be loaded: after an upgrade the server no longer has the files of the older version. */
export class PartGone extends Error {
  override readonly name = 'PartGone';
}

/** An `import()` whose failure the app recognises (pages/crash-page.tsx). */
export const part =
  <T>(load: () => Promise<T>) =>
  async (): Promise<T> => {
    try {
      return await load();
    } catch (cause) {
      throw new PartGone('A part of the app is gone', { cause });
    }
  };

/** Whether a newer version is on this device, so that the next load has it, and whether this is the time to say so. */
export interface RenewalState {
  isNewer: boolean;
  /** Somebody is in a room or a call. */
  isHeld: boolean;
}

export interface Renewal extends SnapshotSource<RenewalState> {
  /** No reload by itself until the returned function is called: somebody may be talking. */
  hold(): () => void;
  /** Reloads the page, once; false when the user must decide: somebody holds it, it did not help, the server is away. */
  renew(): Promise<boolean>;
  /** Reloads the page: the user wants it. Without a server it is the page that this device has. */
  reload(): Promise<void>;
  /** Says whether a newer version is there. It waits for the user: nothing reloads for it. */
  offer(isNewer: boolean): void;
  /** Has the browser look for a newer version, at most once in LOOK_MS. */
  look(): void;
}

export interface RenewalDeps {
  reload: () => void;
  /** Has the next load ask the server for the page, not what this device has of it. */
  forgetPage: () => Promise<void>;
  /** Has the browser ask for the worker that the server has by now. */
  look: () => void;
  /** Whether the server answers: without it a reload would leave nothing. */
  isServerThere: () => Promise<boolean>;
  /** When the page last reloaded itself, ms. It outlives the reload. */
  last: { read: () => number; write: (at: number) => void };
  now: () => number;
}

/** Two reloads so near to each other are a loop. */
const ONCE_MS = 5 * 60_000;
/** A server that restarts, or a window that is looked at, may have something newer; one that flickers need not be asked each time. */
export const LOOK_MS = 60_000;

export function createRenewal({ reload, forgetPage, look, isServerThere, last, now }: RenewalDeps): Renewal {
  const listeners = createListeners();
  const holders = new Set<symbol>();
  let state: RenewalState = { isNewer: false, isHeld: false };
  let lookedAt = now();
  const mayReload = () => holders.size === 0 && now() - last.read() > ONCE_MS;
  const reloadFromServer = async () => {
    await forgetPage().catch(() => undefined);
    reload();
  };
  const set = (next: Partial<RenewalState>) => {
    const { isNewer, isHeld } = { ...state, ...next };
    if (isNewer === state.isNewer && isHeld === state.isHeld) return;
    state = { isNewer, isHeld };
    listeners.tell();
  };
  return {
    getSnapshot: () => state,
    subscribe: listeners.add,
    hold() {
      const holder = Symbol('holder');
      holders.add(holder);
      set({ isHeld: true });
      return () => {
        holders.delete(holder);
        set({ isHeld: holders.size > 0 });
      };
    },
    async renew() {
      if (!mayReload() || !(await isServerThere()) || !mayReload()) return false;
      last.write(now());
      await reloadFromServer();
      return true;
    },
    reload: async () => ((await isServerThere()) ? reloadFromServer() : reload()),
    offer: (isNewer) => set({ isNewer }),
    look() {
      if (now() - lookedAt < LOOK_MS) return;
      lookedAt = now();
      look();
    },
  };
}
