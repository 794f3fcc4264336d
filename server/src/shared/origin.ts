import type { IncomingMessage } from 'node:http';

/**
 * Whether the page that sent the request may use this server: its origin must be `PUBLIC_URL`, or the request's Host
 * when that is not set. Requests without Origin header are allowed: pages of other sites send one (RFC 6454 §7.3).
 */
export function isOwnOrigin(request: Pick<IncomingMessage, 'headers'>, publicUrl: string | null): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  if (publicUrl !== null) return origin === publicUrl;
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
