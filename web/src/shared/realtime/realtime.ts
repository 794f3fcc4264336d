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
import { io, type ManagerOptions, type SocketOptions } from 'socket.io-client';
import { ownVersion } from '#src/shared/apart.ts';
import { reachServer } from '../api/reach-server.ts';
import { createListeners } from '../listeners.ts';
import type { Renewal } from '../renewal.ts';
import type { SnapshotSource } from '../use-snapshot.ts';
import { createReconnector, type RawSocket } from './reconnector.ts';

/** Time limit for acknowledgements. */
const ACK_TIMEOUT_MS = 5_000;

/** `refused`: the server refuses the session; only a new sign-in helps. */
export type LinkState = 'connecting' | 'up' | 'down' | 'refused';

/** The app's socket. The snapshot is the link's state, which the banner shows. */
export interface Realtime extends SnapshotSource<LinkState> {
  /**
   * Sends an event and resolves with its acknowledgement. Never rejects: without a link, or without an answer in time,
   * it resolves with `{ ok: false, code: 'unavailable' }`. Events are not buffered for later.
   */
  send<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<Ack<E>>;
  /** Subscribes to an event; payloads are parsed. Returns the unsubscribe function. */
  on<E extends ServerEventName>(event: E, handler: (payload: ServerPayload<E>) => void): () => void;
  /**
   * Calls `handler` with the current state at once, then at each change; 'first': before all others. The voice engine
   * is first. It closes the microphone of a press that has no floor yet when the link is lost.
   */
  onLink(handler: (state: LinkState) => void, order?: 'first'): () => void;
  /** Connects now instead of after the reconnect delay. */
  retry(): void;
  /** The same, and replaces a connection that looks alive but is known to carry nothing. */
  reconnect(): void;
  /** Reconnects with shorter delays until the returned function is called, because the user listens. */
  listen(): () => void;
  /** Final and idempotent. */
  close(): void;
}

export interface RealtimeDeps {
  /** Called at each connection attempt. */
  token: () => string | undefined;
  /** Opens a socket, one for each attempt; tests pass a fake. */
  open?: (options: Partial<ManagerOptions & SocketOptions>) => RawSocket;
  /** Whether the server answers a small request. */
  reach?: (signal: AbortSignal) => Promise<boolean>;
  random?: () => number;
  ackTimeoutMs?: number;
  /** Receives reports of data that this page or the server could not read [APP14]. */
  renewal?: Pick<Renewal, 'report'>;
}

const ackSchemas = new Map<ClientEventName, ReturnType<typeof ackOf>>();
/** Made once, because making it costs more than checking by it, and a room sends several events a second. */
function ackSchema(event: ClientEventName) {
  const known = ackSchemas.get(event) ?? ackOf(clientEvents[event].ack);
  ackSchemas.set(event, known);
  return known;
}

const refusal = z.object({ data: z.object({ code: z.string() }) });

/**
 * Opens a socket, and another one whenever it is lost. Socket.IO's own reconnecting gives up after 'io server
 * disconnect' (sent when the server restarts) and after a refused handshake. It also limits an attempt only until its
 * transport is open.
 */
export function createRealtime(deps: RealtimeDeps): Realtime {
  const { open = io, reach = reachServer, random = Math.random, ackTimeoutMs = ACK_TIMEOUT_MS } = deps;
  const linkListeners = createListeners<LinkState>();
  const eventListeners = new Map<string, ReturnType<typeof createListeners<unknown>>>();
  let link: LinkState = 'connecting';
  /** The connected socket. */
  let socket: RawSocket | null = null;
  let isClosed = false;
  const listening = new Set<symbol>();

  const setLink = (next: LinkState): void => {
    if (next === link) return;
    link = next;
    linkListeners.notify(next);
  };

  const reconnector = createReconnector({
    open: () =>
      open({
        transports: ['websocket'],
        reconnection: false,
        autoConnect: false,
        // A new manager, so that nothing of an earlier connection or session is reused.
        forceNew: true,
        // The server counts pages with other contracts [PROC85].
        auth: (give) => give({ token: deps.token() ?? '', contract: ownVersion()?.contract }),
      }),
    reach,
    random,
    isListening: () => listening.size > 0,
    onConnected(connected) {
      socket = connected;
      hear(connected);
      setLink('up');
    },
    onFailed(error) {
      if (refusal.safeParse(error).data?.data.code === 'unauthenticated') {
        reconnector.stop();
        setLink('refused');
      } else setLink('down');
    },
  });

  const hear = (connected: RawSocket): void => {
    connected.on('disconnect', () => {
      if (connected !== socket) return;
      socket = null;
      reconnector.start('loss');
      setLink('down');
    });
    for (const [event, definition] of Object.entries(serverEvents)) {
      connected.on(event, (raw: unknown) => {
        const parsed = definition.payload.safeParse(raw);
        if (connected !== socket) return;
        if (parsed.success) eventListeners.get(event)?.notify(parsed.data);
        // It comes from another version of the server, so its news are missed.
        else deps.renewal?.report();
      });
    }
  };
  /** Says goodbye, so that the server releases this page's participants [PRES30]. */
  const hangUp = (): void => {
    const before = socket;
    socket = null;
    before?.disconnect();
  };
  /** Drops the connection without a goodbye: the page comes back with its participants. */
  const cut = (): void => {
    const before = socket;
    socket = null;
    before?.io.engine.close();
  };

  const reconnect = (): void => {
    if (isClosed || link === 'refused') return;
    cut();
    reconnector.start('doubt');
    if (link === 'up') setLink('down');
  };
  const retry = (): void => {
    if (link !== 'up') reconnect();
  };
  for (const event of Object.keys(serverEvents)) eventListeners.set(event, createListeners<unknown>());
  const leave = (): void => {
    hangUp();
    reconnector.stop();
    if (link === 'up') setLink('down');
  };
  const unwatch = watchPage({ onBack: retry, onLeave: leave });
  reconnector.start('first');

  return {
    async send(event, payload) {
      if (socket?.connected !== true) return { ok: false, code: 'unavailable', params: {} };
      let raw: unknown;
      try {
        raw = await socket.timeout(ackTimeoutMs).emitWithAck(event, payload);
      } catch {
        return { ok: false, code: 'unavailable', params: {} };
      }
      const parsed = ackSchema(event).safeParse(raw);
      if (!parsed.success) {
        deps.renewal?.report();
        return { ok: false, code: 'internal', params: {} };
      }
      if (!parsed.data.ok && parsed.data.params.contract !== undefined)
        deps.renewal?.report(parsed.data.params.contract);
      // Sound: parsed by the schema of this event. TypeScript can't relate it to the type parameter E.
      return parsed.data as Ack<typeof event>;
    },
    on(event, handler) {
      // Sound: payloads were parsed by the event's schema before dispatch.
      return eventListeners.get(event)?.add((payload) => handler(payload as ServerPayload<typeof event>)) ?? (() => {});
    },
    onLink(handler, order) {
      const stop = linkListeners.add(handler, order);
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
      reconnector.hurry();
      return () => void listening.delete(listener);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      unwatch();
      reconnector.stop();
      hangUp();
      setLink('down');
    },
  };
}

/**
 * Calls `onBack` when the device is online again, or the page becomes visible or is restored after it was left. Calls
 * `onLeave` when it is left.
 */
function watchPage({ onBack, onLeave }: { onBack(): void; onLeave(): void }): () => void {
  if (typeof window === 'undefined') return () => {};
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) onBack();
  };
  const onVisible = () => {
    if (document.visibilityState === 'visible') onBack();
  };
  window.addEventListener('online', onBack);
  window.addEventListener('pageshow', onShow);
  window.addEventListener('pagehide', onLeave);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', onBack);
    window.removeEventListener('pageshow', onShow);
    window.removeEventListener('pagehide', onLeave);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
