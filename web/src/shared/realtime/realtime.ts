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
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import * as z from 'zod';
import { createListeners } from '../listeners.ts';
import type { SnapshotSource } from '../use-snapshot.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';

/** An acknowledgement that has not come after this long counts as not taken. */
export const ACK_TIMEOUT_MS = 5_000;

/** `refused`: the server does not accept the session; only signing in again helps. */
export type LinkState = 'connecting' | 'up' | 'down' | 'refused';

/**
 * The socket as the rest of the app sees it; also the voice engine's `Signalling`. The snapshot is the link's state,
 * as shown by the banner.
 */
export interface Realtime extends SnapshotSource<LinkState> {
  /**
   * Sends an event and resolves with its acknowledgement. Never rejects: a link that is down or an answer that does
   * not come in time is `{ ok: false, code: 'unavailable' }`. Nothing is sent later by itself.
   */
  send<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<Ack<E>>;
  /** Hears an event, its payload parsed. Returns the way to stop. */
  on<E extends ServerEventName>(event: E, handler: (payload: ServerPayload<E>) => void): () => void;
  /** Calls with the present state at once, then at each change. */
  onLink(handler: (state: LinkState) => void): () => void;
  /** Tries to connect now instead of after the delay. */
  retry(): void;
  /** Final and idempotent. */
  close(): void;
}

/** The little of a Socket.IO client that is used here. */
export type RawSocket = Pick<Socket, 'on' | 'connect' | 'disconnect' | 'connected' | 'timeout'>;

export interface RealtimeDeps {
  /** Asked anew at each attempt to connect. */
  token: () => string | undefined;
  /** Opens the socket; Socket.IO's own unless a test gives another. */
  open?: (options: Partial<ManagerOptions & SocketOptions>) => RawSocket;
  random?: () => number;
  ackTimeoutMs?: number;
}

const refusal = z.object({ data: z.object({ code: z.string() }) });

/**
 * Opens the socket and keeps it open. Reconnecting is done here rather than by Socket.IO's manager, which gives up
 * after 'io server disconnect' and after a refusal: a server that restarts or signs us out needs an answer to both.
 */
export function createRealtime(deps: RealtimeDeps): Realtime {
  const { open = io, random = Math.random, ackTimeoutMs = ACK_TIMEOUT_MS } = deps;
  const linkListeners = createListeners<LinkState>();
  const eventListeners = new Map<string, ReturnType<typeof createListeners<unknown>>>();
  let link: LinkState = 'connecting';
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const socket = open({
    transports: ['websocket'],
    reconnection: false,
    autoConnect: false,
    // A manager of its own: after sign-out and sign-in nothing of the old session is reused.
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
    if (!isClosed && !socket.connected) socket.connect();
  };

  const lose = (): void => {
    if (isClosed || link === 'refused') return;
    setLink('down');
    attempt += 1;
    clearTimeout(timer);
    timer = setTimeout(connect, reconnectDelayMs(attempt, random));
  };

  const retry = (): void => {
    if (link === 'up' || link === 'refused') return;
    socket.disconnect();
    attempt = 0;
    connect();
  };

  socket.on('connect', () => {
    attempt = 0;
    setLink('up');
  });
  socket.on('disconnect', (reason) => {
    // Ours comes from close() and retry() only.
    if (reason !== 'io client disconnect') lose();
  });
  socket.on('connect_error', (error) => {
    if (refusal.safeParse(error).data?.data.code === 'unauthenticated') {
      clearTimeout(timer);
      setLink('refused');
    } else lose();
  });
  for (const [event, { payload }] of Object.entries(serverEvents)) {
    const listeners = createListeners<unknown>();
    eventListeners.set(event, listeners);
    socket.on(event, (raw: unknown) => {
      // What doesn't parse comes from another version of the server: not understood, so not acted upon.
      const parsed = payload.safeParse(raw);
      if (parsed.success) listeners.tell(parsed.data);
    });
  }
  const unwatch = watchNetwork(retry);
  socket.connect();

  return {
    async send(event, payload) {
      if (!socket.connected) return { ok: false, code: 'unavailable', params: {} };
      let raw: unknown;
      try {
        raw = await socket.timeout(ackTimeoutMs).emitWithAck(event, payload);
      } catch {
        return { ok: false, code: 'unavailable', params: {} };
      }
      const parsed = ackOf(clientEvents[event].ack).safeParse(raw);
      if (!parsed.success) return { ok: false, code: 'internal', params: {} };
      // Parsed by this very event's schema; only the compiler can't follow E there.
      return parsed.data as Ack<typeof event>;
    },
    on(event, handler) {
      // Payloads were parsed by the event's own schema before they are told.
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

/** Calls when the device says that it is back on a network, or when a page that slept is looked at again. */
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
