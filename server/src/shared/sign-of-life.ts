import type { Socket } from './gateway.ts';

/** The part of Engine.IO's connection that its types hide. */
interface Pinging {
  sendPacket?(type: 'ping'): void;
}

/** Asks a client, of whatever make, to show that it is alive: each answers the transport's ping by itself. */
export const askForSignOfLife = ({ conn }: Socket): void => (conn as unknown as Pinging).sendPacket?.('ping');

/** Calls `told` at each packet of a socket, of whatever kind. Returns the way to stop. */
export function onSignOfLife({ conn }: Socket, told: () => void): () => void {
  conn.on('packet', told);
  return () => void conn.off('packet', told);
}
