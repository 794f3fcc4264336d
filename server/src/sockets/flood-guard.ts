import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { createAllowance } from '#src/limits/rate-limit.ts';
import type { GuardConnections, Io, Socket } from './gateway.ts';

/** Limits of what one socket may send. Joining a full mesh is some 300 messages and 200 kB at once; talking is next to nothing. */
const PACKET_BURST = 2_000;
const PACKETS_PER_SECOND = 300;
const BYTE_BURST = 2_097_152;
const BYTES_PER_SECOND = 262_144;
/** Limits of a connection that has not authenticated. They allow one CONNECT with a token, and signs of life. */
const ANONYMOUS_PACKETS = 16;
const ANONYMOUS_BYTES = 16_384;
/** A connection that has not authenticated by then is ended. */
const HANDSHAKE_MS = 10_000;
/** Maximum of unsent bytes for one socket. A client that doesn't read isn't listening. */
const UNREAD_MAX_BYTES = 4_194_304;
const UNREAD_CHECK_MS = 1_000;

/** How long an ordered end waits for clients to answer the goodbye. */
const GOODBYE_MS = 1_000;

/** Types of packets of the Socket.IO protocol (revision 5), the first character of a message. */
const CONNECT = '0';
const CONNECT_ERROR = '4';

export type Connection = Socket['conn'];

/** Internals of a connection that we look at. */
interface Inside {
  id: string;
  transport: { socket?: { bufferedAmount?: number; terminate?(): void } };
  writeBuffer?: readonly { data?: unknown }[];
}
interface Packet {
  type: string;
  data?: unknown;
}

/** The types hide what we need here. Everything is optional, so that another transport merely stays unknown. */
const insideOf = (connection: Connection): Inside => connection as unknown as Inside;

/** The id that a connection's requests carry as `sid`. */
export const idOf = (connection: Connection): string => insideOf(connection).id;
/** Whether the connection has no WebSocket, or none yet. */
export const polls = (connection: Connection): boolean => insideOf(connection).transport.socket === undefined;

const sizeOf = (data: unknown): number =>
  typeof data === 'string' ? data.length : Buffer.isBuffer(data) ? data.byteLength : 0;

const isOfType = ({ type, data }: Packet, wanted: string): boolean =>
  type === 'message' && typeof data === 'string' && data.startsWith(wanted);

const unreadBytes = ({ transport, writeBuffer = [] }: Inside): number =>
  writeBuffer.reduce((sum, { data }) => sum + sizeOf(data), transport.socket?.bufferedAmount ?? 0);

/**
 * Ends a connection at once, without a goodbye: its remaining data is not read, and a polite end would wait until the
 * other side has read everything.
 */
function hangUp(connection: Connection): void {
  const { socket } = insideOf(connection).transport;
  connection.close(true);
  socket?.terminate?.();
}

/**
 * Stands before Socket.IO: counts each packet before it is parsed, whatever it is. A connection may ask to be let in only
 * once, must do so soon, and ends when it is refused. Otherwise one request of 131 kB could be eight thousand queries to
 * the database. The allowance for events refuses politely long before these limits are reached.
 */
export const guardConnections: GuardConnections = (io, deps) => {
  const { registry, log, now } = deps;
  io.engine.on('connection', (connection: Connection) => {
    const packets = createAllowance(PACKET_BURST, PACKETS_PER_SECOND, now);
    const bytes = createAllowance(BYTE_BURST, BYTES_PER_SECOND, now);
    let sentPackets = 0;
    let sentBytes = 0;
    let hasAsked = false;
    registry.opened(connection, deps.addressOf(connection.request));
    const timer = setTimeout(() => {
      if (registry.ownerOf(connection) === null) hangUp(connection);
    }, HANDSHAKE_MS);
    connection.once('close', () => {
      clearTimeout(timer);
      registry.closed(connection);
    });

    const takes = (packet: Packet): boolean => {
      const size = sizeOf(packet.data);
      if (isOfType(packet, CONNECT)) {
        if (hasAsked) return false;
        hasAsked = true;
      }
      sentPackets += 1;
      sentBytes += size;
      const isSmall = sentPackets <= ANONYMOUS_PACKETS && sentBytes <= ANONYMOUS_BYTES;
      return (isSmall || registry.ownerOf(connection) !== null) && packets.take() && bytes.take(size);
    };
    connection.on('packet', (packet: Packet) => {
      if (takes(packet)) return;
      log.warn({ userId: registry.ownerOf(connection) }, 'socket_flooded');
      hangUp(connection);
    });
    connection.on('packetCreate', (packet: Packet) => {
      // Closes after the refusal is sent: a new attempt needs a new connection.
      if (isOfType(packet, CONNECT_ERROR)) process.nextTick(() => connection.close());
    });
  });
};

/**
 * Hangs up on sockets that don't read: relayed data would pile up in memory without end.
 * @returns a function that stops this
 */
export function dropUnreadSockets(io: Io, log: FastifyBaseLogger): () => void {
  const timer = setInterval(() => {
    for (const socket of io.sockets.sockets.values()) {
      if (unreadBytes(insideOf(socket.conn)) <= UNREAD_MAX_BYTES) continue;
      log.warn({ userId: socket.data.session.userId, socketId: socket.id }, 'socket_not_reading');
      hangUp(socket.conn);
    }
  }, UNREAD_CHECK_MS);
  return () => clearInterval(timer);
}

/**
 * Closes all sockets in order, and after a second those that don't answer: one deaf client must not delay the end. `io.close`
 * also ends the HTTP server and waits for each of its connections. Connections whose upload was refused unread are idle but
 * don't count as idle there; it would wait for their keep-alive of 72 s.
 */
export async function closeSockets(io: Io, server: Server): Promise<void> {
  const connections = [...io.sockets.sockets.values()].map(({ conn }) => conn);
  const timer = setTimeout(() => {
    for (const connection of connections) insideOf(connection).transport.socket?.terminate?.();
    server.closeAllConnections();
  }, GOODBYE_MS);
  await io.close();
  clearTimeout(timer);
}
