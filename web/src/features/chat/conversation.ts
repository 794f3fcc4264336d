import type { ChannelId } from '@pressel/contract/ids';
import { TYPING_MS } from '@pressel/contract/limits';
import type { Api } from '#src/shared/api/api.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import { createMessageFeed, type MessageFeed, type MessageFeedDeps } from './message-feed.ts';
import type { Outbox } from './outbox.ts';
import { createReadTracker, type NumberRange } from './read-tracker.ts';

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

/** Minimum interval between two typing events, ms. */
export const TELL_MS = 1_000;

/** Display names of users who type, in the order in which they began. */
export interface Typing extends SnapshotSource<readonly string[]> {
  /** Call when the user typed. */
  typed(): void;
  close(): void;
}

interface TypingDeps {
  realtime: Pick<Realtime, 'on' | 'send'>;
  channelId: ChannelId;
  userId: string;
  now?: () => number;
}

export function createTyping({ realtime, channelId, userId, now = Date.now }: TypingDeps): Typing {
  const listeners = createListeners();
  const names = new Map<string, { name: string; timer: ReturnType<typeof setTimeout> }>();
  let snapshot: readonly string[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;

  const tell = (): void => {
    snapshot = [...names.values()].map(({ name }) => name);
    listeners.notify();
  };
  const clear = (id: string): void => {
    const known = names.get(id);
    if (known === undefined) return;
    clearTimeout(known.timer);
    names.delete(id);
    tell();
  };
  const stops = [
    realtime.on('typingResponse', (news) => {
      if (news.channelId !== channelId || news.userId === userId) return;
      const known = names.get(news.userId);
      clearTimeout(known?.timer);
      names.set(news.userId, { name: news.name, timer: setTimeout(() => clear(news.userId), TYPING_MS) });
      if (known?.name !== news.name) tell();
    }),
    realtime.on('messageResponse', (message) => {
      if (message.channelId === channelId) clear(message.userId);
    }),
  ];
  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    typed() {
      if (now() - toldAt < TELL_MS) return;
      toldAt = now();
      void realtime.send('typing', { channelId });
    },
    close() {
      for (const stop of stops) stop();
      for (const { timer } of names.values()) clearTimeout(timer);
    },
  };
}
