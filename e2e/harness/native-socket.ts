import type {
  Ack,
  ClientEventName,
  ClientToServer,
  EventAnswer,
  EventInput,
  ServerToClient,
} from '@pressel/contract/realtime';
import { io, type Socket } from 'socket.io-client';

const PATIENCE_MS = 60_000;

/** A socket like that of a page, without a browser. It doesn't connect again by itself. */
export interface NativeSocket {
  readonly socket: Socket<ServerToClient, ClientToServer>;
  /** Sends an event and waits for the answer. @throws Error when refused */
  ask<E extends ClientEventName>(event: E, payload: EventInput<E>): Promise<EventAnswer<E>>;
}

/** @throws Error when the server doesn't take it */
export async function connectNatively(origin: string, token: string): Promise<NativeSocket> {
  const socket: NativeSocket['socket'] = io(origin, {
    auth: { token },
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return {
    socket,
    async ask(event, payload) {
      const ack: Ack<typeof event> = await socket.timeout(PATIENCE_MS).emitWithAck(event, ...([payload] as never));
      if (!ack.ok) throw new Error(`${event} was refused: ${ack.code}`);
      return ack.data as EventAnswer<typeof event>;
    },
  };
}
