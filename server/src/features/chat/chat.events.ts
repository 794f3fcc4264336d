import { TYPING_EVERY_MS } from '@pressel/contract/limits';
import { type ListenOn, roomOf, type Socket, type Stay } from '#src/platform/sockets.ts';
import type { ChatLimits } from './chat.limits.ts';
import type { Live } from './live.ts';
import type { Sending } from './sending.ts';

export interface ChatEventDeps {
  sending: Pick<Sending, 'send'>;
  live: Pick<Live, 'typing'>;
  limits: ChatLimits;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
}

export function chatEvents(
  on: ListenOn,
  { sending, live, limits, steadyNow }: ChatEventDeps,
): (socket: Socket) => void {
  const typedAt = new WeakMap<Stay, number>();
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
      const stay = roomOf(socket, channelId);
      if (steadyNow() - (typedAt.get(stay) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return {};
      typedAt.set(stay, steadyNow());
      live.typing(socket, stay.id);
      return {};
    });
  };
}
