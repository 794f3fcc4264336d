import {
  deleteMessage,
  getChannelMessages,
  getMessageReaders,
  getUnreadCounts,
  markMessagesRead,
  searchMessages,
  sendMessage,
} from '@pressel/contract/chat';
import { requireSelf, type ServeCall } from '#src/shared/calls.ts';
import type { ChatLimits } from './chat.limits.ts';
import type { MessagesService } from './messages.service.ts';
import type { ReadingService } from './reading.service.ts';

export interface ChatRouteDeps {
  messages: MessagesService;
  reading: ReadingService;
  limits: ChatLimits;
}

export function chatRoutes(serve: ServeCall, { messages, reading, limits }: ChatRouteDeps): void {
  serve(getChannelMessages, async (body, { session }) => ({
    success: true as const,
    ...(await messages.history(session, body)),
  }));

  serve(searchMessages, async (body, { session }) => {
    await limits.searches.take(session.userId);
    return { success: true as const, ...(await messages.search(session, body)) };
  });

  serve(sendMessage, async ({ userId, channelId, message: text, clientId }, { session }) => {
    requireSelf(session, userId);
    await limits.messages.take(session.userId);
    const { message } = await messages.send(session, { channelId, text, clientId });
    return { success: true as const, message };
  });

  serve(deleteMessage, async ({ msgId }, { session }) => {
    await limits.deletions.take(session.userId);
    await messages.remove(session, msgId);
    return { success: true as const };
  });

  serve(markMessagesRead, async (body, { session }) => {
    await limits.marks.take(session.userId);
    return { success: true as const, ...(await reading.mark(session, body)) };
  });

  serve(getMessageReaders, async ({ msgId }) => ({ success: true as const, ...(await reading.readers(msgId)) }));

  serve(getUnreadCounts, async (_body, { session }) => ({
    success: true as const,
    res: await reading.unreadCounts(session),
  }));
}
