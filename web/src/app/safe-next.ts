import { parseUrl } from '#src/shared/parse-url.ts';

/** Paths that sign-in does not return to. */
const SIGN_IN_PATHS = ['/', '/signin', '/signup', '/notfound'];

/**
 * The path to open after sign-in: the one requested before, if it is a page of this app. Values that could lead to
 * another site (`//evil`, `/\evil`, `https:`) are ignored.
 */
export function safeNext(next: unknown, origin: string): string | undefined {
  if (typeof next !== 'string' || !next.startsWith('/') || next.length > 2_000) return undefined;
  const url = parseUrl(next, origin);
  if (url === null || url.origin !== origin) return undefined;
  const path = url.pathname.toLowerCase().replace(/\/+$/u, '') || '/';
  if (SIGN_IN_PATHS.includes(path) || url.pathname.startsWith('//')) return undefined;
  return url.pathname + url.search + url.hash;
}
