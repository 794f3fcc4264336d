/** The reason by which Socket.IO ends the sockets of a server that stops. */
export const SERVER_STOPS = 'server shutting down';

/** The reason when the client ends it. */
const SAYS_GOODBYE = 'client namespace disconnect';

/** Ends that somebody wanted: by a client that says goodbye, by the server, or with the server. */
const WANTED: ReadonlySet<string> = new Set([SAYS_GOODBYE, 'server namespace disconnect', SERVER_STOPS]);
export const isGoodbye = (disconnectReason: string): boolean => disconnectReason === SAYS_GOODBYE;
export const isLinkLost = (disconnectReason: string): boolean => !WANTED.has(disconnectReason);
