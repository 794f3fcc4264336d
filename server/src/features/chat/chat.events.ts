import { TYPING_EVERY_MS } from '@pressel/contract/limits';
import { type ListenOn, roomOf, type Socket } from '#src/platform/sockets.ts';
import type { ChatLimits } from './chat.limits.ts';
import type { Live } from './live.ts';
import type { MessagesService } from './messages.service.ts';

export interface ChatEventDeps {
  messages: Pick<MessagesService, 'send'>;
  live: Pick<Live, 'typing'>;
  limits: ChatLimits;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
}

export function chatEvents(
  on: ListenOn,
  { messages, live, limits, steadyNow }: ChatEventDeps,
): (socket: Socket) => void {
  return (socket) => {
    let typedAt = Number.NEGATIVE_INFINITY;
    on(socket, 'message', async ({ message: text, clientId }) => {
      const { id: channelId } = roomOf(socket);
      const { session } = socket.data;
      await limits.messages.take(session.userId);
      const { message } = await messages.send(session, { channelId, text, clientId });
      return { message };
    });
    on(socket, 'message created', async () => ({}));
    on(socket, 'typing', async () => {
      const { id } = roomOf(socket);
      if (steadyNow() - typedAt < TYPING_EVERY_MS) return {};
      typedAt = steadyNow();
      live.typing(socket, id);
      return {};
    });
  };
}
