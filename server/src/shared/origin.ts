import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser page may talk to this server: pages of `PUBLIC_URL` when it is set, else of the host that was
 * asked. Requests without an Origin header are not from a page of another site (RFC 6454 §7.3).
 */
export function isOwnOrigin(request: Pick<IncomingMessage, 'headers'>, publicUrl: string | null): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  if (publicUrl !== null) return origin === publicUrl;
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
