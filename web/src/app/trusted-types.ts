import { WORKER_PATH } from '#src/shared/build-cache.ts';
import { parseUrl } from '#src/shared/parse-url.ts';

/** Not in TypeScript's DOM library yet: https://w3c.github.io/trusted-types/dist/spec/ */
interface TrustedTypes {
  createPolicy(name: 'default', rules: Record<'createHTML' | 'createScriptURL', (text: string) => string | null>): void;
}

/**
 * Decides which texts the browser accepts where a text could become code. The server's policy asks for it
 * (`require-trusted-types-for`) and allows no other policy. Call it before anything renders.
 * - HTML without a tag: Mantine writes its style elements by `innerHTML`.
 * - Our own files as workers, the service worker among them.
 * - Nothing else, and no script from text at all.
 */
export function trustOwnTypes(page: { trustedTypes?: TrustedTypes; location: Pick<Location, 'origin'> }): void {
  try {
    page.trustedTypes?.createPolicy('default', {
      createHTML: (html) => (html.includes('<') ? null : html),
      createScriptURL: (address) => (isOwnFile(address, page.location.origin) ? address : null),
    });
  } catch {
    // An extension or user script of the browser made the default policy first, so theirs applies.
  }
}

function isOwnFile(address: string, ownOrigin: string): boolean {
  const url = parseUrl(address, ownOrigin);
  return url?.origin === ownOrigin && (url.pathname.startsWith('/assets/') || url.pathname === WORKER_PATH);
}
