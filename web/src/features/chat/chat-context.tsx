import type { ChannelId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use, useSyncExternalStore } from 'react';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { Chat } from './chat.ts';
import type { OutboxSnapshot } from './outbox.ts';

const NOTHING: OutboxSnapshot = { entries: [], isLasting: true };
const NOT_LOADED = { getSnapshot: () => NOTHING, subscribe: () => () => undefined };

/** The outbox's snapshot for all channels; empty until the outbox is loaded. */
export const useOutboxSnapshot = (): OutboxSnapshot => useSnapshot(useSnapshot(useChat()) ?? NOT_LOADED);

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
