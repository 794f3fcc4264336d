import { cacheOf, ownCaches, PAGE_PATH, WHICH_BUILD, WORKER_PATH } from '../src/shared/build-cache.ts';
import { routeOf } from './request-route.ts';

/**
 * The service worker: opens the console from the files on this device, and keeps nothing else. Rules:
 * docs/rules/app.md; reasons: docs/decisions/025-an-own-service-worker.md. The build makes it one file
 * (vite/service-worker.ts).
 */
declare const self: ServiceWorkerGlobalScope;
/** The build of the page that came with this worker. The page states it too. */
declare const BUILD: string;
/** Every built file that a screen may need, with its path. */
declare const FILES: readonly string[];

/** Newer than TypeScript's library: https://w3c.github.io/ServiceWorker/#dom-installevent-addroutes */
interface InstallEvent extends ExtendableEvent {
  addRoutes?: (rules: readonly object[]) => Promise<void>;
}

const CACHE = cacheOf(BUILD);
/** A file is the same whatever compression the server sent it with. */
const ANY = { ignoreVary: true };

self.addEventListener('install', (event) => {
  // Browsers that support this don't even wake the worker for requests that it doesn't handle.
  (event as InstallEvent)
    .addRoutes?.([
      { condition: { requestMode: 'navigate' }, source: 'fetch-event' },
      { condition: { urlPattern: '/assets/*' }, source: 'fetch-event' },
      { condition: { urlPattern: '/*' }, source: 'network' },
    ])
    .catch(() => undefined);
  event.waitUntil(install());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), tidy()]));
});

self.addEventListener('message', (event) => {
  if (event.data !== WHICH_BUILD) return;
  event.ports[0]?.postMessage(BUILD);
  event.waitUntil(tidy());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  switch (routeOf(request, self.location.origin)) {
    case 'page':
      event.respondWith(keptPage(request));
      event.waitUntil(refresh().catch(() => undefined));
      break;
    case 'asset':
      event.respondWith(asset(request));
      break;
    default:
  }
});

/** Only workers may show notifications on Android, so there the page's worker does. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(focusPage());
});

/** Focuses the page that was used last, whichever it is: a call rings in all of them. */
async function focusPage(): Promise<void> {
  const [page] = await self.clients.matchAll({ type: 'window' });
  await page?.focus();
}

/** Fetches all files of this build or none. One file after the other, so that the page's own requests come first. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const file of FILES) {
    const answer = (await caches.match(file, ANY)) ?? (await fetch(file));
    if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
    await cache.put(file, answer);
  }
  const page = await fetchPage();
  if (!(await isOurs(page))) throw new Error('The server has another version by now');
  await cache.put(PAGE_PATH, page);
  // Pages of older builds find what they need in their caches, so nobody has to wait for them to be closed.
  await self.skipWaiting();
}

/** Answers at once, whatever the network does. If the page was forgotten or can't be read, it works as without a worker. */
async function keptPage(request: Request): Promise<Response> {
  const kept = await caches.match(PAGE_PATH, { ...ANY, cacheName: CACHE }).catch(() => undefined);
  return kept ?? fetch(request);
}

/** Takes the file from any build's cache: a name never means two contents. */
async function asset(request: Request): Promise<Response> {
  const kept = await caches.match(request.url, ANY).catch(() => undefined);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  // If there is no space for it, the network has it.
  if (answer.status === 200) await keep(request.url, answer.clone()).catch(() => undefined);
  return answer;
}

const keep = async (path: string, answer: Response): Promise<void> => (await caches.open(CACHE)).put(path, answer);

const fetchPage = () => fetch(PAGE_PATH, { cache: 'no-cache' });

const isOurs = async (page: Response): Promise<boolean> =>
  page.ok && !page.redirected && (await page.clone().text()).includes(`"${BUILD}"`);

/**
 * Learns at each load what the server has now. That is the same page, perhaps with other headers (its policy names the
 * map's origins), a newer version, or none of ours.
 */
async function refresh(): Promise<void> {
  const page = await fetchPage();
  if (await isOurs(page)) return keep(PAGE_PATH, page);
  // A fault of the server or of a proxy says nothing about the version there.
  if (page.status < 500) await self.registration.update().catch(leaveIfGone);
}

/**
 * If a worker's file is gone, browsers keep the worker for good (w3c.github.io/ServiceWorker, Update), so it has to
 * remove itself.
 */
async function leaveIfGone(): Promise<void> {
  const file = await fetch(WORKER_PATH, { cache: 'no-store' });
  const isScript = file.ok && /javascript/u.test(file.headers.get('content-type') ?? '');
  if (isScript || file.status >= 500) return;
  await self.registration.unregister();
  for (const name of await ownCaches(caches)) await caches.delete(name);
}

/** Removes the caches of other builds, except those whose pages are open. Never while a newer one is installing. */
async function tidy(): Promise<void> {
  const { installing, waiting } = self.registration;
  if ((installing ?? waiting) !== null) return;
  const { held = [] } = await self.navigator.locks.query();
  const kept = new Set([CACHE, ...held.map(({ name }) => name)]);
  for (const name of await ownCaches(caches)) if (!kept.has(name)) await caches.delete(name);
}
