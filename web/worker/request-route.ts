/**
 * The answerer of a page's request.
 * - `page`: the page itself, for any address of the console.
 * - `asset`: a built file, whose name says what is in it.
 * - `network`: the worker has no part in it.
 */
export type RequestRoute = 'page' | 'asset' | 'network';

/**
 * The console's addresses: a list of ours rather than of others, because a proxy may serve other things beside it. Its
 * test compares it with the router.
 */
const PAGES =
  /^\/(?:(?:signin|signup|dashboard|activities|board|profile|notfound|(?:users|channels)list(?:\/import)?)?\/?|(?:groupcallview|mobilecallview|join)\/[^/]+\/?|usercallview(?:\/.*)?)$/iu;

/** Decides by the request alone. Any request that isn't clearly the console's own goes to the network (APP3). */
export function routeOf(
  { method, mode, url }: Pick<Request, 'method' | 'mode' | 'url'>,
  ownOrigin: string,
): RequestRoute {
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== ownOrigin) return 'network';
  if (mode === 'navigate') return PAGES.test(pathname) ? 'page' : 'network';
  return pathname.startsWith('/assets/') ? 'asset' : 'network';
}
