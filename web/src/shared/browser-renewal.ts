import { forgetPage } from './build-cache.ts';
import { createRenewal, type Renewal, type RenewalDeps } from './renewal.ts';

/** How long the server may take to say that it is there. */
const ANSWER_MS = 5_000;

/** Reloads this browser's page, and has the browser look for a newer version. */
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

/** Has the browser compare its worker with the server's. */
const findNewer = () =>
  void navigator.serviceWorker
    ?.getRegistration()
    .then((registration) => registration?.update())
    .catch(() => undefined);
/** When a server comes back all pages look for what it has: not in the same moment, in which they enter their rooms again. */
const SPREAD_MS = 60_000;
