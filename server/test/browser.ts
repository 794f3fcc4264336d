import type { TestSocket } from './socket-client.ts';

/** The WebSocket below a test's socket. Its library answers pings as browsers do, whatever the page does. */
export interface Wire {
  on(event: 'ping', told: () => void): void;
  /** Stops reading, so that no ping is answered, while the connection stays open: a dead link. */
  pause(): void;
  resume(): void;
}
export const wireOf = ({ raw }: Pick<TestSocket, 'raw'>): Wire =>
  (raw.io.engine as unknown as { transport: { ws: Wire } }).transport.ws;

/** Counts received pings; they have been answered before they are counted. */
export function pingsOf(socket: Pick<TestSocket, 'raw'>): { readonly count: number } {
  const pings = { count: 0 };
  wireOf(socket).on('ping', () => {
    pings.count += 1;
  });
  return pings;
}
