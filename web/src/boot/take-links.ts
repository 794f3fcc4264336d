/** GUEST_FRAGMENT of the contract, which the boot script doesn't load; its test holds them together. */
const FRAGMENT = /^#guest(?:=(.*))?$/u;
const VIDEO_ROOM = /^\/join\//iu;

/**
 * Takes the token of a guest link out of the URL, before the router, the history or an error report can store it. It
 * leaves `#guest`, which says after a reload what this page was (GUEST3).
 * @returns the token; empty where it was taken before; undefined where there is no guest link
 */
export function takeGuestLink(page: {
  location: Pick<Location, 'pathname' | 'search' | 'hash'>;
  history: Pick<History, 'replaceState'>;
}): string | undefined {
  const { pathname, search, hash } = page.location;
  const match = FRAGMENT.exec(hash);
  if (match === null || !VIDEO_ROOM.test(pathname)) return undefined;
  page.history.replaceState(null, '', `${pathname}${search}#guest`);
  return match[1] ?? '';
}

const CALL_LINK = /^\/usercallview\/(.+)/iu;

/**
 * Takes the JSON with the token of a call link (spec §2) out of the URL, before the router, the history or an error
 * report can store it. @returns its text; empty if it can't be read; undefined if there is none
 */
export function takeCallLink(page: {
  location: Pick<Location, 'pathname'>;
  history: Pick<History, 'replaceState'>;
}): string | undefined {
  const encoded = CALL_LINK.exec(page.location.pathname)?.[1];
  if (encoded === undefined) return undefined;
  page.history.replaceState(null, '', '/userCallView/');
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

/** Returns the token in a call link's text, to ask about it at once; null where there is none. */
export function tokenIn(link: string): string | null {
  try {
    const { token } = Object(JSON.parse(link));
    return typeof token === 'string' ? token : null;
  } catch {
    return null;
  }
}
