import { TYPING_EVERY_MS } from '@pressel/contract/limits';
import { type EnteredRoom, type ListenOn, roomOf, type Socket } from '#src/sockets/sockets.ts';
import type { ChatLimits } from './chat.limits.ts';
import type { MessageBroadcast } from './message-broadcast.ts';
import type { Sending } from './sending.ts';

export interface ChatEventDeps {
  sending: Pick<Sending, 'send'>;
  broadcast: Pick<MessageBroadcast, 'typing'>;
  limits: ChatLimits;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
}

export function chatEvents(
  on: ListenOn,
  { sending, broadcast, limits, steadyNow }: ChatEventDeps,
): (socket: Socket) => void {
  const typedAt = new WeakMap<EnteredRoom, number>();
  return (socket) => {
    on(socket, 'message', async ({ message: text, clientId, channelId: named }) => {
      const { id: channelId } = roomOf(socket, named);
      const { session } = socket.data;
      await limits.messages.take(session.userId);
      const { message } = await sending.send(session, { channelId, text, clientId });
      return { message };
    });
    on(socket, 'message created', async () => ({}));
    on(socket, 'typing', async ({ channelId }) => {
      const enteredRoom = roomOf(socket, channelId);
      if (steadyNow() - (typedAt.get(enteredRoom) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return {};
      typedAt.set(enteredRoom, steadyNow());
      broadcast.typing(socket, enteredRoom.id);
      return {};
    });
  };
}
