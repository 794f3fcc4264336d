import type { FastifyBaseLogger } from 'fastify';
import type { Io, Socket } from './gateway.ts';
import { createAllowance } from './rate-limit.ts';

/** What one socket may send. Joining a full mesh is some 300 messages and 200 kB at once; talking is next to nothing. */
const PACKET_BURST = 2_000;
const PACKETS_PER_SECOND = 300;
const BYTE_BURST = 2_097_152;
const BYTES_PER_SECOND = 262_144;
/** What may wait to be sent to one socket. Who does not read is not listening. */
const UNREAD_MAX_BYTES = 4_194_304;
const UNREAD_CHECK_MS = 1_000;

/** How long an ordered end waits for clients to answer the goodbye. */
const GOODBYE_MS = 1_000;

/** The connection below a socket, as far as it is ours to look into. */
interface Connection {
  transport: { socket?: { bufferedAmount?: number; terminate?(): void } };
  writeBuffer?: readonly { data?: unknown }[];
}

/** Its types hide what is needed here; everything is optional, so that another transport is merely not seen into. */
const connectionOf = (socket: Socket): Connection => socket.conn as unknown as Connection;

const sizeOf = (data: unknown): number =>
  typeof data === 'string' ? data.length : Buffer.isBuffer(data) ? data.byteLength : 0;

const unreadBytes = ({ transport, writeBuffer = [] }: Connection): number =>
  writeBuffer.reduce((sum, { data }) => sum + sizeOf(data), transport.socket?.bufferedAmount ?? 0);

/** Ends a connection without a word: a polite end waits until the other side has read everything. */
function hangUp(socket: Socket): void {
  const { transport } = connectionOf(socket);
  if (transport.socket?.terminate === undefined) socket.disconnect(true);
  else transport.socket.terminate();
}

/**
 * Hangs up on sockets that flood: counted before anything is parsed, whatever the packet is, an event of the
 * contract or not. The allowance for events answers politely long before this is reached.
 */
export function guardAgainstFloods(socket: Socket, log: FastifyBaseLogger, now: () => number): void {
  const packets = createAllowance(PACKET_BURST, PACKETS_PER_SECOND, now);
  const bytes = createAllowance(BYTE_BURST, BYTES_PER_SECOND, now);
  socket.conn.on('packet', ({ data }: { data?: unknown }) => {
    if (packets.take() && bytes.take(sizeOf(data))) return;
    log.warn({ userId: socket.data.session.userId, socketId: socket.id }, 'socket_flooded');
    hangUp(socket);
  });
}

/**
 * Hangs up on sockets that take nothing in: what is relayed to them would pile up in memory without end.
 * Returns the way to stop.
 */
export function dropUnreadSockets(io: Io, log: FastifyBaseLogger): () => void {
  const timer = setInterval(() => {
    for (const socket of io.sockets.sockets.values()) {
      if (unreadBytes(connectionOf(socket)) <= UNREAD_MAX_BYTES) continue;
      log.warn({ userId: socket.data.session.userId, socketId: socket.id }, 'socket_not_reading');
      hangUp(socket);
    }
  }, UNREAD_CHECK_MS);
  return () => clearInterval(timer);
}

/** Closes all sockets in order, and after a second those that do not answer: one deaf client must not hold the end. */
export async function closeSockets(io: Io): Promise<void> {
  const connections = [...io.sockets.sockets.values()].map((socket) => connectionOf(socket));
  const timer = setTimeout(() => {
    for (const { transport } of connections) transport.socket?.terminate?.();
  }, GOODBYE_MS);
  await io.close();
  clearTimeout(timer);
}
