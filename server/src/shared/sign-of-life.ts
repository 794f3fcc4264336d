import type { Socket } from './gateway.ts';

/** The parts of Engine.IO's connection that its types hide. */
interface Pinging {
  sendPacket?(type: 'ping'): void;
  transport?: { socket?: Wire };
}

/** The part of its WebSocket. */
interface Wire {
  readonly readyState: number;
  on(event: 'pong', told: () => void): unknown;
  ping(): void;
}
const OPEN = 1;

/** Asks the browser of a socket for a sign of life, and calls `told` if one comes. */
export type PingBrowser = (socket: Socket, told: () => void) => void;

/**
 * Whoever asks browsers has one of these of their own: a pong answers all who asked before it, whichever of their pings it is of
 * (RFC 6455 §5.5.3 lets a browser answer the latest alone). Of several calls by one asker for one socket the last one is told, once.
 *
 * The ping is that of the WebSocket itself (§5.5.2). Browsers answer it outside of their pages, also of one that is too busy to do
 * anything.
 */
export function createBrowserPings(): PingBrowser {
  /** Who is told of the next pong; null: nobody, so that pongs that nobody asked for are not heard. */
  const waiting = new WeakMap<Wire, (() => void) | null>();
  const hear = (wire: Wire): void => {
    const told = waiting.get(wire);
    waiting.set(wire, null);
    told?.();
  };
  return (socket, told) => {
    const wire = (socket.conn as unknown as Pinging).transport?.socket;
    if (wire?.readyState !== OPEN) return;
    if (!waiting.has(wire)) wire.on('pong', () => hear(wire));
    waiting.set(wire, told);
    wire.ping();
  };
}

/** Asks a client, of whatever make, to show that it is alive: each answers the transport's ping by itself. */
export const askForSignOfLife = ({ conn }: Socket): void => (conn as unknown as Pinging).sendPacket?.('ping');

/** Calls `told` at each packet of a socket, of whatever kind. Returns the way to stop. */
export function onSignOfLife({ conn }: Socket, told: () => void): () => void {
  conn.on('packet', told);
  return () => void conn.off('packet', told);
}
