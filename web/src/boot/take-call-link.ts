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
