import type { Socket } from './gateway.ts';

/** The parts of Engine.IO's connection that its types hide. */
interface Pinging {
  sendPacket?(type: 'ping'): void;
  transport?: { socket?: Wire };
}

/** The hidden part of its WebSocket. */
interface Wire {
  readonly readyState: number;
  /** Whether the client has said that it closes (RFC 6455 §5.5.1). */
  readonly _closeFrameReceived?: boolean;
  on(event: 'pong', told: () => void): unknown;
  ping(): void;
}
const OPEN = 1;

/** Asks the browser of a socket for a sign of life, and calls `told` if one comes. */
export type PingBrowser = (socket: Socket, told: () => void) => void;

/**
 * Each asker needs its own instance: a pong answers all pings before it, whoever sent them (RFC 6455 §5.5.3 lets a browser answer only
 * the latest). If one asker calls several times for one socket, only the last callback is called, once.
 *
 * The ping is the WebSocket's own (§5.5.2). Browsers answer it outside of their pages, even while a page is too busy to do
 * anything.
 */
export function createBrowserPings(): PingBrowser {
  /** The callback for the next pong; null: none, so that unexpected pongs are ignored. */
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

/**
 * Why a socket ended. After a client said that it closes its link, nothing can be sent to it. Socket.IO tells of an attempt as an error,
 * although nothing broke.
 */
export function endOf({ conn }: Socket, reason: string, fault: unknown): string {
  const isWriting = fault instanceof Error && fault.message === 'write error';
  if (reason !== 'transport error' || !isWriting) return reason;
  const wire = (conn as unknown as Pinging).transport?.socket;
  return wire?._closeFrameReceived === true ? 'transport close' : reason;
}

/** Asks any client to show that it is alive: each answers the transport's ping by itself. */
export const askForSignOfLife = ({ conn }: Socket): void => (conn as unknown as Pinging).sendPacket?.('ping');

/** Calls `told` at each packet of a socket, of whatever kind. Returns a function that stops this. */
export function onSignOfLife({ conn }: Socket, told: () => void): () => void {
  conn.on('packet', told);
  return () => void conn.off('packet', told);
}
