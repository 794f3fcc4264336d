import { getUnreadCounts, type Message } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { UNREAD_MAX } from '@pressel/contract/limits';
import type { Api } from '#src/shared/api/api.ts';
import { createListeners, type Listeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { whenReady } from '#src/shared/realtime/when-ready.ts';

/** News about channels with unknown counts cause at most one read in this time, ms. */
const REREAD_MS = 500;

/** Number of unread messages of others, by channel. Read once somebody subscribes. */
export interface UnreadCounts {
  count(channelId: ChannelId): number;
  /** Counts of all channels that have unread messages. */
  all(): ReadonlyMap<ChannelId, number>;
  /** Calls `listener` when any count changes. */
  subscribeAll(listener: () => void): () => void;
  /** Calls `listener` when this channel's count changes, and for no other channel's [CHATS15]. */
  subscribe(channelId: ChannelId, listener: () => void): () => void;
  close(): void;
}

export interface UnreadDeps {
  api: Pick<Api, 'call'>;
  realtime: Pick<Realtime, 'on'>;
  userId: string;
  /** Administrators may be in rooms of channels that they are not members of, for which the server counts nothing. */
  isAdmin: () => boolean;
}

export function createUnreadCounts({ api, realtime, userId, isAdmin }: UnreadDeps): UnreadCounts {
  const counts = new Map<ChannelId, number>();
  const listeners = new Map<ChannelId, Listeners<void>>();
  const anyListeners = createListeners();
  /** Whether the server counts a channel for this administrator; unknown if absent. */
  const isCounted = new Map<ChannelId, boolean>();
  /** Channels that had news since the last read began. */
  const changed = new Set<ChannelId>();
  /** Channels whose count the server told since the last read began; the read may be older. */
  const told = new Set<ChannelId>();
  const ending = new AbortController();
  let isWanted = false;
  let isReading = false;
  /** Whether the current read may already be outdated. */
  let isStale = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const set = (channelId: ChannelId, count: number): void => {
    if ((counts.get(channelId) ?? 0) === count) return;
    if (count === 0) counts.delete(channelId);
    else counts.set(channelId, count);
    listeners.get(channelId)?.notify();
    anyListeners.notify();
  };

  const read = async (): Promise<void> => {
    if (!isWanted || isReading) return;
    isReading = true;
    clearTimeout(timer);
    timer = undefined;
    const asked = new Set(changed);
    changed.clear();
    told.clear();
    isStale = false;
    try {
      const { res } = await api.call(getUnreadCounts, {}, { signal: ending.signal });
      const found = new Map(res.map((one) => [one.channelId, one.unread]));
      for (const channelId of new Set([...counts.keys(), ...found.keys()])) {
        if (!changed.has(channelId) && !told.has(channelId)) set(channelId, found.get(channelId) ?? 0);
      }
      for (const channelId of [...asked, ...found.keys()]) {
        if (!told.has(channelId)) isCounted.set(channelId, found.has(channelId));
      }
    } catch {
      // The marks stay as they are: the next `ready` reads them again.
    } finally {
      isReading = false;
    }
    if (changed.size > 0 || isStale) readSoon();
  };
  const want = (): void => {
    if (isWanted) return;
    isWanted = true;
    void read();
  };
  const readSoon = (): void => {
    if (!ending.signal.aborted) timer ??= setTimeout(() => void read(), REREAD_MS);
  };
  const readAnew = (): void => {
    isCounted.clear();
    isStale = true;
    void read();
  };

  const hear = ({ channelId, userId: sender }: Pick<Message, 'channelId' | 'userId'>): void => {
    if (sender === userId || !isWanted || isCounted.get(channelId) === false) return;
    const isSure = !isAdmin() || isCounted.get(channelId) === true;
    if (isSure) set(channelId, Math.min(UNREAD_MAX, (counts.get(channelId) ?? 0) + 1));
    if (isSure && !isReading) return;
    changed.add(channelId);
    if (!isReading) readSoon();
  };

  const stops = [
    whenReady(realtime, readAnew),
    realtime.on('changed', ({ what }) => {
      if (what !== 'memberships' || !isWanted) return;
      isCounted.clear();
      readSoon();
    }),
    // The room's participants hear of a message by the message itself, everybody else by this news.
    realtime.on('onSendMessage', hear),
    realtime.on('messageResponse', hear),
    // Only the server knows whether the changed message was unread.
    realtime.on('room message changed', ({ channelId }) => {
      if (isReading) isStale = true;
      else if (counts.has(channelId)) readSoon();
    }),
    realtime.on('messages_read', ({ channelId, unread }) => {
      changed.delete(channelId);
      told.add(channelId);
      set(channelId, unread);
    }),
  ];

  return {
    count: (channelId) => counts.get(channelId) ?? 0,
    all: () => counts,
    subscribeAll(listener) {
      want();
      return anyListeners.add(listener);
    },
    subscribe(channelId, listener) {
      want();
      const known = listeners.get(channelId) ?? createListeners();
      listeners.set(channelId, known);
      return known.add(listener);
    },
    close() {
      ending.abort();
      clearTimeout(timer);
      for (const stop of stops) stop();
    },
  };
}
