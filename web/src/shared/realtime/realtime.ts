import {
  type Ack,
  type ClientEventName,
  clientEvents,
  type EventInput,
  type ServerEventName,
  type ServerPayload,
  serverEvents,
} from '@pressel/contract/realtime';
import { ackOf } from '@pressel/contract/socket';
import { z } from '@pressel/contract/zod';
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { createListeners } from '../listeners.ts';
import type { SnapshotSource } from '../use-snapshot.ts';
import { answerLimitMs, reconnectDelayMs } from './reconnect-delay.ts';

/** Time limit for acknowledgements. */
const ACK_TIMEOUT_MS = 5_000;

/** `refused`: the server refuses the session; only a new sign-in helps. */
export type LinkState = 'connecting' | 'up' | 'down' | 'refused';

/**
 * The socket as seen by the app; implements the voice engine's `Signalling`. The snapshot is the link's state, which
 * the banner shows.
 */
export interface Realtime extends SnapshotSource<LinkState> {
  /**
   * Sends an event and resolves with its acknowledgement. Never rejects: without a link, or without an answer in time,
   * it resolves with `{ ok: false, code: 'unavailable' }`. Events are not buffered for later.
   */
  send<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<Ack<E>>;
  /** Subscribes to an event; payloads are parsed. Returns the unsubscribe function. */
  on<E extends ServerEventName>(event: E, handler: (payload: ServerPayload<E>) => void): () => void;
  /** Calls `handler` with the current state at once, then at each change. */
  onLink(handler: (state: LinkState) => void): () => void;
  /** Connects now instead of after the reconnect delay. */
  retry(): void;
  /** The same, and replaces a connection that looks alive: it is known to carry nothing. */
  reconnect(): void;
  /** Reconnects with shorter delays until the returned function is called: somebody listens. */
  listen(): () => void;
  /** Final and idempotent. */
  close(): void;
}

/** The part of a Socket.IO client that is used here. */
export type RawSocket = Pick<Socket, 'on' | 'connect' | 'disconnect' | 'connected' | 'timeout'> & {
  /** Sets how long an attempt to connect waits for an answer, ms. */
  io: { timeout(ms: number): unknown };
};

export interface RealtimeDeps {
  /** Called at each connection attempt. */
  token: () => string | undefined;
  /** Opens the socket; tests pass a fake. */
  open?: (options: Partial<ManagerOptions & SocketOptions>) => RawSocket;
  random?: () => number;
  ackTimeoutMs?: number;
}

const ackSchemas = new Map<ClientEventName, ReturnType<typeof ackOf>>();
/** Made once: that costs more than to check by it, and a room sends several events a second. */
function ackSchema(event: ClientEventName) {
  const known = ackSchemas.get(event) ?? ackOf(clientEvents[event].ack);
  ackSchemas.set(event, known);
  return known;
}

const refusal = z.object({ data: z.object({ code: z.string() }) });

/**
 * Opens the socket and keeps it open. Reconnects itself, because Socket.IO's manager gives up after
 * 'io server disconnect' (sent when the server restarts) and after a refused handshake.
 */
export function createRealtime(deps: RealtimeDeps): Realtime {
  const { open = io, random = Math.random, ackTimeoutMs = ACK_TIMEOUT_MS } = deps;
  const linkListeners = createListeners<LinkState>();
  const eventListeners = new Map<string, ReturnType<typeof createListeners<unknown>>>();
  let link: LinkState = 'connecting';
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const listening = new Set<symbol>();

  const socket = open({
    transports: ['websocket'],
    reconnection: false,
    autoConnect: false,
    // A new manager, so that nothing of the previous session's connection is reused after sign-out and sign-in.
    forceNew: true,
    auth: (give) => give({ token: deps.token() ?? '' }),
  });

  const setLink = (next: LinkState): void => {
    if (next === link) return;
    link = next;
    linkListeners.tell(next);
  };

  const connect = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (isClosed || socket.connected) return;
    socket.io.timeout(answerLimitMs(attempt, listening.size > 0));
    socket.connect();
  };

  const onLost = (): void => {
    if (isClosed || link === 'refused') return;
    setLink('down');
    attempt += 1;
    clearTimeout(timer);
    timer = setTimeout(connect, reconnectDelayMs(attempt, listening.size > 0, random));
  };

  const reconnect = (): void => {
    if (isClosed || link === 'refused') return;
    socket.disconnect();
    if (link === 'up') setLink('down');
    attempt = 0;
    connect();
  };
  const retry = (): void => {
    if (link !== 'up') reconnect();
  };

  socket.on('connect', () => {
    attempt = 0;
    setLink('up');
  });
  socket.on('disconnect', (reason) => {
    // 'io client disconnect' is caused by our own close() and retry().
    if (reason !== 'io client disconnect') onLost();
  });
  socket.on('connect_error', (error) => {
    if (refusal.safeParse(error).data?.data.code === 'unauthenticated') {
      clearTimeout(timer);
      setLink('refused');
    } else onLost();
  });
  for (const [event, { payload }] of Object.entries(serverEvents)) {
    const listeners = createListeners<unknown>();
    eventListeners.set(event, listeners);
    socket.on(event, (raw: unknown) => {
      // Ignores payloads that don't parse: they come from another version of the server.
      const parsed = payload.safeParse(raw);
      if (parsed.success) listeners.tell(parsed.data);
    });
  }
  const unwatch = watchNetwork(retry);
  connect();

  return {
    async send(event, payload) {
      if (!socket.connected) return { ok: false, code: 'unavailable', params: {} };
      let raw: unknown;
      try {
        raw = await socket.timeout(ackTimeoutMs).emitWithAck(event, payload);
      } catch {
        return { ok: false, code: 'unavailable', params: {} };
      }
      const parsed = ackSchema(event).safeParse(raw);
      if (!parsed.success) return { ok: false, code: 'internal', params: {} };
      // Sound: parsed by the schema of this event. TypeScript can't relate it to the type parameter E.
      return parsed.data as Ack<typeof event>;
    },
    on(event, handler) {
      // Sound: payloads were parsed by the event's schema before dispatch.
      return eventListeners.get(event)?.add((payload) => handler(payload as ServerPayload<typeof event>)) ?? (() => {});
    },
    onLink(handler) {
      const stop = linkListeners.add(handler);
      handler(link);
      return stop;
    },
    getSnapshot: () => link,
    subscribe: (listener) => linkListeners.add(() => listener()),
    retry,
    reconnect,
    listen() {
      const listener = Symbol('listener');
      listening.add(listener);
      return () => void listening.delete(listener);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      unwatch();
      socket.disconnect();
      setLink('down');
    },
  };
}

/** Calls `onBack` when the device is online again or the page becomes visible again. */
function watchNetwork(onBack: () => void): () => void {
  if (typeof window === 'undefined') return () => {};
  const onVisible = () => {
    if (document.visibilityState === 'visible') onBack();
  };
  window.addEventListener('online', onBack);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', onBack);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
