const CALL_LINK = /^(\/usercallview)\/.+/iu;

/**
 * Takes the JSON with its token out of the address of a call link, before the router, the history or an error
 * report can keep it.
 */
export function hideCallLink(page: { location: Pick<Location, 'pathname'>; history: Pick<History, 'replaceState'> }) {
  if (CALL_LINK.test(page.location.pathname)) page.history.replaceState(null, '', '/userCallView/');
}
