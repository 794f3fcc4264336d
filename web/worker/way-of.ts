/**
 * Who answers a request of the page.
 * - `page`: the page itself, for any address of the console.
 * - `asset`: a built file, whose name says what is in it.
 * - `network`: the worker has no part in it.
 */
export type Way = 'page' | 'asset' | 'network';

/**
 * The console's addresses: a list of what is ours rather than of what isn't, because a proxy may have other things beside it.
 * Its test holds it against the router.
 */
const PAGES =
  /^\/(?:(?:signin|signup|dashboard|activities|board|profile|notfound|(?:users|channels)list(?:\/import)?)?\/?|(?:groupcallview|mobilecallview|join)\/[^/]+\/?|usercallview(?:\/.*)?)$/iu;

/** Decides by the request alone. Everything that isn't plainly the console's own goes to the network (APP3). */
export function wayOf({ method, mode, url }: Pick<Request, 'method' | 'mode' | 'url'>, ownOrigin: string): Way {
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== ownOrigin) return 'network';
  if (mode === 'navigate') return PAGES.test(pathname) ? 'page' : 'network';
  return pathname.startsWith('/assets/') ? 'asset' : 'network';
}
