import '#src/shared/ui/base-styles.ts';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { createEntrance } from './app/guards.ts';
import { createAppRouter } from './app/router.tsx';
import { trustOwnTypes } from './app/trusted-types.ts';
import { createApi } from './shared/api/api.ts';
import type { FirstAnswers } from './shared/api/first-answers.ts';
import { createPatience } from './shared/api/retry-after.ts';
import { type CallLink, readCallLink, storageOfCall } from './shared/call-link.ts';
import { createI18n } from './shared/i18n/i18n.ts';
import { createInstalling } from './shared/installing.ts';
import { browserRenewal, ChunkGoneError } from './shared/renewal.ts';
import type { Services } from './shared/services.tsx';
import { createSession, type Session } from './shared/session.ts';
import { type AppStorage, createStorage } from './shared/storage.ts';
import { nextTask } from './shared/when-idle.ts';

/** The parts of the address that were for the app alone and have been taken out of it. */
export interface Links {
  /** The text of a call link. */
  call: string | undefined;
  /** The token of a guest link; empty: an earlier load took it. */
  guest: string | undefined;
}

/** Starts the app. It replaces the static frame when its first screen is there. */
export async function start(first: FirstAnswers, links: Links): Promise<void> {
  trustOwnTypes(window);
  const { guest: guestLink } = links;
  const callLink = links.call === undefined ? undefined : readCallLink(links.call);
  const storage = storageFor(callLink, guestLink);
  const patience = createPatience();
  const api = createApi({
    patience,
    report: (contract) => renewal.report(contract),
    fetch: (input, init) => first.take(input, init) ?? window.fetch(input, init),
    readToken: storage.readToken,
    onUnauthenticated: (refused) => {
      // Ignores a late refusal of an older session's call.
      if (storage.readToken() === refused) session.end('expired');
    },
  });
  const session: Session = createSession({ api, storage });
  const renewal = browserRenewal({
    read: () => Number(storage.readForReload('renewedAt')),
    write: (at) => void storage.keepForReload('renewedAt', String(at)),
  });
  const installing = createInstalling(window);
  const services: Services = { api, session, storage, callLink, guestLink, renewal, installing, patience };
  const words = createI18n(storage);
  // The start awaits them below, after a pause.
  words.catch(unheeded);
  // Making the routes takes as long as all before.
  await nextTask();
  const router = createAppRouter({
    session,
    loadWords: async (namespaces) => (await words).loadNamespaces([...namespaces]),
    entrance: createEntrance(() => import('./app/room-routes.tsx'), services),
  });
  const element = document.getElementById('root');
  if (element === null) return;
  await nextTask();
  const [i18n] = await Promise.all([words, router.load()]);
  endFrameWith(element);
  // A transition: it renders in pieces, between which the page scrolls and responds.
  startTransition(() =>
    createRoot(element, { onCaughtError: tellCaught }).render(
      <StrictMode>
        <App services={services} i18n={i18n} router={router} />
      </StrictMode>,
    ),
  );
  whenQuiet(() => {
    void import('./app/keep-worker.ts').then(({ keepWorker }) => keepWorker(renewal), unheeded);
    // Pages opened by a link have a session of their own. Its end is not the end of the browser's session.
    if (callLink !== undefined || guestLink !== undefined) return;
    void import('./shared/draft-database.ts').then(({ bindDrafts }) => bindDrafts(session), unheeded);
  });
}

/** Logs as React does by itself. A part that can't be loaded is no fault of the app: the browser's console has the request. */
function tellCaught(error: unknown, { componentStack }: { componentStack?: string | undefined }): void {
  // biome-ignore lint/suspicious/noConsole: a boundary caught it, and whoever looks for the cause needs it
  if (!(error instanceof ChunkGoneError)) console.error(error, componentStack);
}

/** Removes the static frame at the moment when the app has something to show. */
function endFrameWith(root: HTMLElement): void {
  const shown = new MutationObserver(() => {
    // The root also contains styles, and the element for sentences that are only spoken.
    if (root.querySelector(':scope > :not(style, [data-spoken])') === null) return;
    shown.disconnect();
    document.getElementById('frame')?.remove();
  });
  shown.observe(root, { childList: true });
}

/** Runs after the first screen and the files that it loads. */
function whenQuiet(act: () => void): void {
  const soon = () => setTimeout(act, QUIET_MS);
  if (document.readyState === 'complete') soon();
  else window.addEventListener('load', soon, { once: true });
}
/** After this time the first screen is usually complete. */
const QUIET_MS = 3_000;
/** Files that can't be loaded now are requested by the next page. */
const unheeded = () => undefined;

function storageFor(callLink: CallLink | 'broken' | undefined, guestLink: string | undefined): AppStorage {
  if (callLink === undefined && guestLink === undefined)
    return createStorage({ local: window.localStorage, session: window.sessionStorage });
  const storage = createStorage(storageOfCall(window.localStorage));
  if (callLink !== undefined && callLink !== 'broken') storage.keepToken(callLink.token);
  return storage;
}
