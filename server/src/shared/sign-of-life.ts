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

/** Who is told of a socket's next pong. */
const waiting = new WeakMap<Socket, () => void>();

/**
 * Calls `told` if the other end answers a ping of the WebSocket itself (RFC 6455 §5.5.2). Browsers do so outside of their
 * pages, also of one that is too busy to do anything. Of several calls the last one is told.
 */
export function pingBrowser(socket: Socket, told: () => void): void {
  const wire = (socket.conn as unknown as Pinging).transport?.socket;
  if (wire?.readyState !== OPEN) return;
  if (!waiting.has(socket)) wire.on('pong', () => hear(socket));
  waiting.set(socket, told);
  wire.ping();
}

/** Asks a client, of whatever make, to show that it is alive: each answers the transport's ping by itself. */
export const askForSignOfLife = ({ conn }: Socket): void => (conn as unknown as Pinging).sendPacket?.('ping');

/** Once: whoever sends pongs that nobody asked for is not heard. */
function hear(socket: Socket): void {
  const told = waiting.get(socket);
  waiting.set(socket, () => undefined);
  told?.();
}

/** Calls `told` at each packet of a socket, of whatever kind. Returns the way to stop. */
export function onSignOfLife({ conn }: Socket, told: () => void): () => void {
  conn.on('packet', told);
  return () => void conn.off('packet', told);
}
