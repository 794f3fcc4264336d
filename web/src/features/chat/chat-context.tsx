import type { ChannelId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use, useSyncExternalStore } from 'react';
import type { Chat } from './chat.ts';

const ChatContext = createContext<Chat | null>(null);

/** Provides the signed-in user's side of all chats. */
export function ChatProvider({ chat, children }: { chat: Chat; children: ReactNode }) {
  return <ChatContext value={chat}>{children}</ChatContext>;
}

export function useChat(): Chat {
  const chat = use(ChatContext);
  if (chat === null) throw new Error('No ChatProvider above.');
  return chat;
}

/** Number of unread messages of others in a channel, counted up to UNREAD_MAX. */
export function useUnread(channelId: ChannelId): number {
  const { unread } = useChat();
  return useSyncExternalStore(
    (listener) => unread.subscribe(channelId, listener),
    () => unread.count(channelId),
  );
}
