import type { IncomingMessage } from 'node:http';

/**
 * Whether the page that sent the request may use this server: its origin must be `PUBLIC_URL`, or the request's Host
 * when that is not set. Requests without Origin header are allowed: pages of other sites send one (RFC 6454 §7.3).
 * Without TLS both schemes are allowed, because a proxy may add it.
 */
export function isOwnOrigin(
  request: Pick<IncomingMessage, 'headers'> & { socket: object },
  publicUrl: string | null,
): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  if (publicUrl !== null) return origin === publicUrl;
  if (host === undefined) return false;
  // Only Node's TLS connections have this property.
  const isTls = 'encrypted' in request.socket;
  return origin === `https://${host}` || (origin === `http://${host}` && !isTls);
}
