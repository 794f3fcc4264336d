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

export interface Renewal {
  /** No reload by itself until the returned function is called: somebody may be talking. */
  hold(): () => void;
  /** Reloads the page, once; false when the user must decide: somebody holds it, it did not help, the server is away. */
  renew(): Promise<boolean>;
}

export interface RenewalDeps {
  reload: () => void;
  /** Whether the server answers: without it a reload would leave nothing. */
  isServerThere: () => Promise<boolean>;
  /** When the page last reloaded itself, ms. It outlives the reload. */
  last: { read: () => number; write: (at: number) => void };
  now: () => number;
}

/** Two reloads so near to each other are a loop. */
const ONCE_MS = 5 * 60_000;

export function createRenewal({ reload, isServerThere, last, now }: RenewalDeps): Renewal {
  const holders = new Set<symbol>();
  const mayReload = () => holders.size === 0 && now() - last.read() > ONCE_MS;
  return {
    hold() {
      const holder = Symbol('holder');
      holders.add(holder);
      return () => void holders.delete(holder);
    },
    async renew() {
      if (!mayReload() || !(await isServerThere()) || !mayReload()) return false;
      last.write(now());
      reload();
      return true;
    },
  };
}
