import type { EventAnswer } from '@pressel/contract/realtime';
import { connectPlainly } from './plain-socket.ts';

export interface PresenceClient {
  /** Bytes of all messages that came, except signs of life, and the number of these messages. */
  received(): { bytes: number; messages: number };
  join(room: string): Promise<EventAnswer<'join_room'>>;
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** A participant that counts what the server sends it. */
export async function connectPresence(origin: string, token: string): Promise<PresenceClient> {
  let bytes = 0;
  let messages = 0;
  const socket = await connectPlainly({
    origin,
    token,
    heard(data) {
      bytes += Buffer.byteLength(data);
      messages += 1;
    },
  });
  return {
    received: () => ({ bytes, messages }),
    join: async (room) => (await socket.ask('join_room', { room })) as EventAnswer<'join_room'>,
    leave: async () => void (await socket.ask('leave_room', {})),
    close: socket.close,
  };
}
