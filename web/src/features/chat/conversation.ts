import type { ChannelId } from '@pressel/contract/ids';
import type { Api } from '#src/shared/api/api.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { createMessageFeed, type MessageFeed, type MessageFeedDeps } from './message-feed.ts';
import type { Outbox } from './outbox.ts';
import { createReadTracker, type NumberRange } from './read-tracker.ts';
import { createTyping, type Typing } from './typing.ts';

/** A channel's messages for as long as they are shown. */
export interface Conversation {
  feed: MessageFeed;
  typing: Typing;
  /** Sets the numbers of the messages on the screen. */
  setOnScreen(range: NumberRange | undefined): void;
  /** Whether the link carries the room's events. */
  setLive(isLive: boolean): void;
  /** Whether the panel is visible at all. */
  setShown(isShown: boolean): void;
  /** Takes over at once the messages that the outbox has sent. */
  follow(outbox: Outbox): () => void;
  close(): void;
}

export interface ConversationDeps extends Pick<MessageFeedDeps, 'storage'> {
  api: Pick<Api, 'call'>;
  realtime: Pick<Realtime, 'on' | 'send'>;
  channelId: ChannelId;
  userId: string;
  /** Called when the user begins or stops to look at the messages. */
  onLooking: (isLooking: boolean) => void;
  page?: Window;
}

export function openConversation({ page = window, onLooking, ...deps }: ConversationDeps): Conversation {
  const feed = createMessageFeed(deps);
  const typing = createTyping(deps);
  const reads = createReadTracker({ ...deps, onRead: feed.setRead });
  let onScreen: NumberRange | undefined;
  let isShown = false;
  let wasLooking = false;

  /** Messages count as seen only while the page is visible and has the focus. */
  const look = (): void => {
    const isLooking = isShown && page.document.visibilityState === 'visible' && page.document.hasFocus();
    if (isLooking && !wasLooking) feed.lookedAt();
    if (isLooking !== wasLooking) onLooking(isLooking);
    wasLooking = isLooking;
    reads.show(isLooking ? onScreen : undefined);
  };
  page.addEventListener('focus', look);
  page.addEventListener('blur', look);
  page.document.addEventListener('visibilitychange', look);

  return {
    feed,
    typing,
    setOnScreen(range) {
      onScreen = range;
      look();
    },
    setLive(isLive) {
      feed.setLive(isLive);
      reads.setLive(isLive);
    },
    setShown(next) {
      isShown = next;
      look();
    },
    follow: (outbox) => outbox.onSent(feed.receive),
    close() {
      if (wasLooking) onLooking(false);
      page.removeEventListener('focus', look);
      page.removeEventListener('blur', look);
      page.document.removeEventListener('visibilitychange', look);
      reads.close();
      typing.close();
      feed.close();
    },
  };
}
