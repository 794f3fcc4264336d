import type { TestSocket } from './socket-client.ts';

/** The WebSocket below a test's socket, whose library answers pings as browsers do, whatever the page does. */
export interface Wire {
  on(event: 'ping', told: () => void): void;
  /** Reads nothing more, so that no ping is answered, while the connection stays open: a dead link. */
  pause(): void;
  resume(): void;
}
export const wireOf = ({ raw }: Pick<TestSocket, 'raw'>): Wire =>
  (raw.io.engine as unknown as { transport: { ws: Wire } }).transport.ws;

/** Counts the pings that came, which are answered before they are told. */
export function pingsOf(socket: Pick<TestSocket, 'raw'>): { readonly count: number } {
  const pings = { count: 0 };
  wireOf(socket).on('ping', () => {
    pings.count += 1;
  });
  return pings;
}
