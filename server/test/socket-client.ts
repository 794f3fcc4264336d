import {
  type Ack,
  type ClientEventName,
  type ClientToServer,
  type EventInput,
  type ServerEventName,
  type ServerPayload,
  type ServerToClient,
  serverEvents,
} from '@pressel/contract/realtime';
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { PATIENCE_MS } from './wait-until.ts';

/** The WebSocket below a test's socket. Its library answers pings as browsers do, whatever the page does. */
interface Wire {
  on(event: 'ping', told: () => void): void;
  /** Stops reading, so that no ping is answered, while the connection stays open: a dead link. */
  pause(): void;
  resume(): void;
  /** Tells the other side that it closes. */
  close(): void;
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

/**
 * Per origin: waits until everything that the server has to send is on its way to its sockets. Missing for a single process, which needs
 * no wait.
 */
export const settledAt = new Map<string, () => Promise<void>>();

export interface TestSocket {
  id: string;
  origin: string;
  raw: Socket<ServerToClient, ClientToServer>;
  send<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<Ack<E>>;
  /** The next event of this name that fits, including earlier ones that were not taken yet. */
  next<E extends ServerEventName>(event: E, fits?: (payload: ServerPayload<E>) => boolean): Promise<ServerPayload<E>>;
  /** Events of this name that came and were not taken. */
  waiting<E extends ServerEventName>(event: E): ServerPayload<E>[];
  disconnected: Promise<string>;
  close(): void;
}

/** Connects, and waits until the server has taken the socket in: it is stored, and hears its news. */
export async function connectTakenIn(origin: string, token: string): Promise<TestSocket> {
  const socket = await connectSocket(origin, token);
  // The server answers nothing before, and a socket that it closes gets no answer.
  await Promise.race([socket.send('leave_room', {}), socket.disconnected]);
  return socket;
}

/**
 * Connects as a client would, and checks every received event against the contract. `how` replaces the token in `auth`,
 * for other ways to sign in. @throws the error of connect_error
 */
export async function connectSocket(
  origin: string,
  token: string,
  how: Partial<Pick<ManagerOptions & SocketOptions, 'auth' | 'query' | 'extraHeaders' | 'ca' | 'transports'>> = {
    auth: { token },
  },
): Promise<TestSocket> {
  const raw: Socket<ServerToClient, ClientToServer> = io(origin, {
    transports: ['websocket'],
    ...how,
    reconnection: false,
    forceNew: true,
  });
  const arrived = new Map<string, unknown[]>();
  const watchers = new Set<() => void>();
  raw.onAny((event: ServerEventName, payload: unknown) => {
    const parsed: unknown = serverEvents[event].payload.parse(payload);
    arrived.set(event, [...(arrived.get(event) ?? []), parsed]);
    for (const watch of [...watchers]) watch();
  });
  const disconnected = new Promise<string>((resolve) => raw.on('disconnect', resolve));
  await new Promise<void>((resolve, reject) => {
    raw.on('connect', resolve);
    raw.on('connect_error', (error) => {
      raw.close();
      reject(error);
    });
  });

  return {
    id: String(raw.id),
    origin,
    raw,
    disconnected,
    send: (event, payload) => raw.timeout(PATIENCE_MS).emitWithAck(event, ...([payload] as never)) as never,
    waiting: (event) => (arrived.get(event) ?? []) as never,
    next(event, fits = () => true) {
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      const look = () => {
        const list = arrived.get(event) ?? [];
        const index = list.findIndex((payload) => fits(payload as never));
        if (index === -1) return;
        stop();
        resolve(list.splice(index, 1)[0] as never);
      };
      const timer = setTimeout(() => {
        stop();
        const ended = raw.connected ? '' : ' before the socket ended';
        reject(new Error(`No fitting ${event} came${ended}. Waiting: ${JSON.stringify(arrived.get(event) ?? [])}`));
      }, PATIENCE_MS);
      const stop = () => {
        clearTimeout(timer);
        watchers.delete(look);
      };
      watchers.add(look);
      look();
      return promise;
    },
    close: () => void raw.close(),
  };
}
