/** Paths that nobody wants to come back to after signing in. */
const DOORS = ['/', '/signin', '/signup', '/notfound'];

/**
 * The place to open after sign-in: what was asked for before, if it is a page of this app. Anything that could lead
 * to another site (`//evil`, `/\evil`, `https:`) is ignored.
 */
export function safeNext(next: unknown, origin: string): string | undefined {
  if (typeof next !== 'string' || !next.startsWith('/') || next.length > 2_000) return undefined;
  const url = URL.parse(next, origin);
  if (url === null || url.origin !== origin) return undefined;
  const path = url.pathname.toLowerCase().replace(/\/+$/u, '') || '/';
  if (DOORS.includes(path) || url.pathname.startsWith('//')) return undefined;
  return url.pathname + url.search + url.hash;
}
