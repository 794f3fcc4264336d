import { type ClientMessageId, clientMessageId, type Message, sendMessage, uploadFile } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import type { Api } from '#src/shared/api/api.ts';
import { ApiError, errorCodeOf, isUnreachable } from '#src/shared/api/api-error.ts';
import { retryAfterMs } from '#src/shared/api/retry-after.ts';
import { createListeners } from '#src/shared/listeners.ts';
import { randomId } from '#src/shared/random-id.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import type { Lack, OutboxItem, OutboxStore } from './outbox-store.ts';
import type { Tabs } from './outbox-tabs.ts';

/** A message that the server has not confirmed. `progress`: the share of its image that was sent. */
export interface OutboxEntry extends OutboxItem {
  state: 'waiting' | 'sending' | 'failed';
  progress: number | undefined;
  /** Why the message is only in this page's memory, if it is. */
  lack: Lack | undefined;
  /** Whether the server can't store the image for now: later messages don't wait for it. */
  isAside: boolean;
}

export interface OutboxSnapshot {
  /** In sending order. */
  entries: readonly OutboxEntry[];
  /** False while the device keeps nothing: waiting messages last as long as the page. */
  isLasting: boolean;
}

export interface Draft {
  channelId: ChannelId;
  channelName: string;
  text: string;
  image?: OutboxItem['image'];
}

/** Keeps messages until the server has confirmed them; sends them in order, each once. Rules: CHATS20 to CHATS32. */
export interface Outbox extends SnapshotSource<OutboxSnapshot> {
  send(draft: Draft): void;
  /** Tries a failed message again. */
  retry(clientId: ClientMessageId): void;
  /** Drops a message. The server may still store one that is on its way. */
  discard(clientId: ClientMessageId): void;
  /** Calls `listener` with each message that the server confirmed. */
  onSent(listener: (message: Message) => void): () => void;
  /** Final and idempotent. Waiting messages stay in the store. */
  close(): void;
}

export interface OutboxDeps {
  api: Pick<Api, 'call' | 'upload'>;
  realtime: Pick<Realtime, 'onLink'>;
  userId: string;
  store: OutboxStore;
  tabs: Tabs;
  now?: () => number;
  random?: () => number;
}

const GONE_KEPT = 1_000;

export function createOutbox(deps: OutboxDeps): Outbox {
  const { api, userId, store, tabs, now = Date.now, random = Math.random } = deps;
  const listeners = createListeners();
  const sentListeners = createListeners<Message>();
  const items = new Map<ClientMessageId, OutboxItem>();
  /** Messages not in the store yet: a refresh must not treat them as gone. */
  const storing = new Set<ClientMessageId>();
  const sending = new Map<ClientMessageId, { cancel: AbortController; progress: number | undefined }>();
  /** Messages confirmed or dropped here lately: a list read meanwhile must not bring them back. */
  const gone = new Set<ClientMessageId>();
  const draining = new Set<ChannelId>();
  /** Channels that got a new message to send while they were being sent. */
  const again = new Set<ChannelId>();
  const attempts = new Map<ChannelId, number>();
  /**
   * Channels that wait before the next attempt. `isTold`: the server said how long, so a restored link changes nothing.
   */
  const pauses = new Map<ChannelId, { timer: ReturnType<typeof setTimeout>; isTold: boolean }>();
  /** Images that the server could not store, until they are tried again. */
  const aside = new Map<ClientMessageId, ReturnType<typeof setTimeout>>();
  let isUp = false;
  let isClosed = false;
  let snapshot: OutboxSnapshot = { entries: [], isLasting: true };

  const tell = (): void => {
    const entries = [...items.values()].sort(byOrder).map((item): OutboxEntry => {
      const current = sending.get(item.clientId);
      const state = current !== undefined ? 'sending' : item.failure === null ? 'waiting' : 'failed';
      return {
        ...item,
        state,
        progress: current?.progress,
        lack: store.lackOf(item.clientId),
        isAside: aside.has(item.clientId),
      };
    });
    snapshot = { entries, isLasting: store.isLasting() };
    listeners.notify();
  };

  /**
   * Takes over messages that other tabs stored, and drops those that they sent or dropped. If the store can't be read,
   * a missing message may still be there: then nothing is dropped [CHATS30].
   */
  const refresh = async (): Promise<void> => {
    const before = [...items.keys()].filter((clientId) => !storing.has(clientId));
    const { items: stored, isWhole } = await store.list(userId);
    if (isClosed) return;
    const known = new Set(stored.map(({ clientId }) => clientId));
    for (const clientId of isWhole ? before : []) {
      if (known.has(clientId) || storing.has(clientId)) continue;
      items.delete(clientId);
      sending.get(clientId)?.cancel.abort();
    }
    for (const item of stored) {
      if (gone.has(item.clientId)) continue;
      // The store returns another blob each time, and a component that shows one would load the picture again.
      const image = items.get(item.clientId)?.image ?? item.image;
      items.set(item.clientId, { ...item, image });
    }
    tell();
  };
  const refreshAndSend = (): void => void refresh().then(drainAll);

  const keep = async (item: OutboxItem): Promise<void> => {
    items.set(item.clientId, item);
    storing.add(item.clientId);
    tell();
    await store.put(item);
    storing.delete(item.clientId);
    tell();
    tabs.post();
  };
  const drop = async (clientId: ClientMessageId): Promise<void> => {
    gone.add(clientId);
    const [oldest] = gone;
    if (gone.size > GONE_KEPT && oldest !== undefined) gone.delete(oldest);
    items.delete(clientId);
    clearTimeout(aside.get(clientId));
    aside.delete(clientId);
    tell();
    await store.remove(clientId);
    tabs.post();
  };

  // Names the user: another one may have signed in in this browser meanwhile, and the server must refuse the message as
  // theirs [CHATS23].
  const deliver = async (item: OutboxItem): Promise<Message> => {
    const cancel = new AbortController();
    const { channelId, clientId, text, image } = item;
    const show = (progress: number | undefined): void => {
      sending.set(clientId, { cancel, progress });
      tell();
    };
    show(image === null ? undefined : 0);
    try {
      const { signal } = cancel;
      if (image === null)
        return (await api.call(sendMessage, { userId, channelId, message: text, clientId }, { signal })).message;
      const fields = { userId, channelId, textMsg: text, clientId };
      return (await api.upload(uploadFile, fields, image, { signal, onProgress: show })).message;
    } finally {
      sending.delete(clientId);
    }
  };

  /** Sends a channel's first message. Returns whether the next one may follow at once. */
  const step = async (channelId: ChannelId): Promise<boolean> => {
    // Another tab may have sent it while this one waited for its turn.
    await refresh();
    const item = [...items.values()]
      .filter((one) => isDue(one, channelId) && !aside.has(one.clientId))
      .sort(byOrder)[0];
    if (item === undefined || isClosed || !isUp) return false;
    try {
      const message = await deliver(item);
      attempts.delete(channelId);
      sentListeners.notify(message);
      await drop(item.clientId);
      return true;
    } catch (error) {
      if (isClosed) return false;
      // The message was dropped while it was on its way.
      if (!items.has(item.clientId)) return true;
      if (wasDeleted(error)) {
        await drop(item.clientId);
        return true;
      }
      const waitMs = retryAfterMs(error);
      if (item.image !== null && errorCodeOf(error) === 'unavailable' && waitMs > 0) {
        stepAside(item, waitMs);
        return true;
      }
      const attempt = (attempts.get(channelId) ?? 0) + 1;
      const verdict = verdictOn(error, attempt, random);
      if (verdict.isFinal) {
        attempts.delete(channelId);
        await keep({ ...item, failure: errorCodeOf(error) });
        return true;
      }
      attempts.set(channelId, attempt);
      tell();
      pause(channelId, verdict.afterMs, errorCodeOf(error) === 'too_many');
      return false;
    }
  };

  /** The server's image store may be away while the server is there: later messages must not wait [CHATS35]. */
  const stepAside = ({ clientId, channelId }: OutboxItem, ms: number): void => {
    const timer = setTimeout(() => {
      aside.delete(clientId);
      tell();
      drain(channelId);
    }, ms);
    aside.set(clientId, timer);
    tell();
  };
  const pause = (channelId: ChannelId, ms: number, isTold: boolean): void => {
    const timer = setTimeout(() => {
      pauses.delete(channelId);
      drain(channelId);
    }, ms);
    pauses.set(channelId, { timer, isTold });
  };
  const drain = (channelId: ChannelId): void => {
    if (!isUp || isClosed || pauses.has(channelId)) return;
    if (draining.has(channelId)) {
      again.add(channelId);
      return;
    }
    draining.add(channelId);
    const work = async () => {
      while (await step(channelId));
    };
    void tabs.exclusive(`${userId}.${channelId}`, work).finally(() => {
      draining.delete(channelId);
      if (again.delete(channelId)) drain(channelId);
    });
  };
  const drainAll = (): void => {
    for (const channelId of new Set([...items.values()].map((item) => item.channelId))) drain(channelId);
  };

  const stops = [
    tabs.on(refreshAndSend),
    store.onChange(refreshAndSend),
    deps.realtime.onLink((link) => {
      isUp = link === 'up';
      if (!isUp) return;
      attempts.clear();
      for (const [channelId, { timer, isTold }] of pauses) {
        if (isTold) continue;
        clearTimeout(timer);
        pauses.delete(channelId);
      }
      refreshAndSend();
    }),
  ];
  void refresh();

  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    send({ channelId, channelName, text, image = null }) {
      const order = Math.max(now(), ...[...items.values()].map((item) => item.order + 1));
      const clientId = clientMessageId.parse(randomId());
      void keep({ clientId, userId, channelId, channelName, order, text, image, createdAt: now(), failure: null }).then(
        () => drain(channelId),
      );
    },
    retry(clientId) {
      const item = items.get(clientId);
      if (item === undefined || item.failure === null) return;
      void keep({ ...item, failure: null }).then(() => drain(item.channelId));
    },
    discard(clientId) {
      const current = sending.get(clientId);
      void drop(clientId);
      current?.cancel.abort();
    },
    onSent: sentListeners.add,
    close() {
      isClosed = true;
      for (const stop of stops) stop();
      for (const { timer } of pauses.values()) clearTimeout(timer);
      for (const timer of aside.values()) clearTimeout(timer);
      for (const { cancel } of sending.values()) cancel.abort();
      tabs.close();
    },
  };
}

/** Two tabs may use the same number: then the ids decide, so that both tabs show the same order. */
const byOrder = (one: OutboxItem, other: OutboxItem): number =>
  one.order - other.order || (one.clientId < other.clientId ? -1 : 1);
const isDue = (item: OutboxItem, channelId: ChannelId): boolean =>
  item.channelId === channelId && item.failure === null;

/** An attempt whose answer was lost stored the message, and it was deleted since. */
const wasDeleted = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'not_found' && error.params.what === 'message';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** Maximum number of attempts at a fault of the server that keeps coming back. */
const FAULTS_MAX = 5;

type Verdict = { isFinal: true } | { isFinal: false; afterMs: number };

/**
 * Decides whether and when an unsent message is tried again. Without an answer: always, after 1 s doubling up to 30 s,
 * with jitter. If the server says how long to wait: then. A refusal is final.
 * @param attempt number of this attempt, from 1
 */
export function verdictOn(error: unknown, attempt: number, random: () => number): Verdict {
  const code = errorCodeOf(error);
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  const pause = Math.round(base * (2 / 3 + (random() * 2) / 3));
  if (code === 'too_many') return { isFinal: false, afterMs: Math.max(retryAfterMs(error), pause) };
  if (code === 'internal' || code === 'bad_reply') {
    return attempt >= FAULTS_MAX ? { isFinal: true } : { isFinal: false, afterMs: pause };
  }
  // The session is over: the message waits for the next one.
  const isWaiting = isUnreachable(error) || code === 'too_slow' || code === 'unauthenticated';
  return isWaiting ? { isFinal: false, afterMs: pause } : { isFinal: true };
}
