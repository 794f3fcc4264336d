import { forgetPage } from './build-cache.ts';
import { createRenewal, type Renewal, type RenewalDeps } from './renewal.ts';

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
