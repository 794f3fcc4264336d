import { connectPlainly, EVENT } from './plain-socket.ts';

const TOLD = `${EVENT}["messageResponse"`;
const CLIENT_ID = '"clientId":"';
const UUID_LENGTH = 36;

export interface RoomClient {
  /** Says something in the room. Resolves with the answer. @throws Error when refused */
  say(message: string, clientId: string): Promise<void>;
  close(): void;
}

/** Somebody in a room who reads nothing of a message but its sender's id of it. */
export async function enterRoom(
  origin: string,
  token: string,
  room: string,
  heard: (clientId: string) => void,
): Promise<RoomClient> {
  const socket = await connectPlainly({
    origin,
    token,
    heard(data) {
      if (!data.startsWith(TOLD)) return;
      const at = data.indexOf(CLIENT_ID) + CLIENT_ID.length;
      heard(data.slice(at, at + UUID_LENGTH));
    },
  });
  await socket.ask('join_room', { room });
  return {
    say: async (message, clientId) => void (await socket.ask('message', { message, clientId })),
    close: () => void socket.close(),
  };
}
