const CALL_LINK = /^(\/usercallview)\/.+/iu;

/**
 * Removes the JSON with the token from the URL of a call link, before the router, the history or an error report can
 * store it.
 */
export function hideCallLink(page: { location: Pick<Location, 'pathname'>; history: Pick<History, 'replaceState'> }) {
  if (CALL_LINK.test(page.location.pathname)) page.history.replaceState(null, '', '/userCallView/');
}
