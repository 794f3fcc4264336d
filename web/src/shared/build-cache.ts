/** The worker's file, on the server and for the browser. */
export const WORKER_PATH = '/sw.js';
/** The key under which the page is kept, whatever address it is shown for, because addresses may hold tokens. */
export const PAGE_PATH = '/';
/** The question that a page asks its worker. The answer is the worker's build. */
export const WHICH_BUILD = 'which build?';

const PREFIX = 'pressel-';

/** The name of a build's cache, and of the lock that its pages hold while they are open. */
export const cacheOf = (build: string): string => `${PREFIX}${build}`;

/** The names of our caches, of any build, among those of this origin. */
export const ownCaches = async (caches: Pick<CacheStorage, 'keys'>): Promise<string[]> =>
  (await caches.keys()).filter((name) => name.startsWith(PREFIX));

/** Makes the next load ask the server for the page. Files that open pages still need of their build stay. */
export async function forgetPage(caches: Pick<CacheStorage, 'keys' | 'open'>): Promise<void> {
  for (const name of await ownCaches(caches)) await (await caches.open(name)).delete(PAGE_PATH);
}
