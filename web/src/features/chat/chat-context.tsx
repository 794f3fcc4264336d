import type { ChannelId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use, useSyncExternalStore } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { Chat } from './chat.ts';
import type { OutboxSnapshot } from './outbox.ts';
import styles from './unread-mark.module.css';

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
function useUnread(channelId: ChannelId): number {
  const { unread } = useChat();
  return useSyncExternalStore(
    (listener) => unread.subscribe(channelId, listener),
    () => unread.count(channelId),
  );
}

/** The highest number that fits a mark. */
const SHOWN_MAX = 99;

/** Number of unread messages of a channel; renders nothing without any. Renders by itself when the number changes. */
export function UnreadMark({ channelId }: { channelId: ChannelId }) {
  const { t } = useTranslation('channels');
  const count = useUnread(channelId);
  if (count === 0) return null;
  const words = t('unread', { count });
  return (
    <span className={styles.mark} title={words} data-unread={count}>
      <span aria-hidden="true">{count > SHOWN_MAX ? `${SHOWN_MAX}+` : count}</span>
      <span className={styles.words}>{words}</span>
    </span>
  );
}
