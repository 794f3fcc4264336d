import { type ClientMessageId, clientMessageId } from '@pressel/contract/chat';
import { errorCode } from '@pressel/contract/errors';
import { channelId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import type { DBSchema } from 'idb';
import { CLIENT_ERROR_CODES } from '#src/shared/api/api-error.ts';
import { deviceDatabase } from '#src/shared/device-database.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { AppStorage } from '#src/shared/storage.ts';

const image = z.object({
  blob: z.instanceof(Blob),
  name: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
});

/** A message that the device keeps until the server has it. */
const outboxItem = z.object({
  clientId: clientMessageId,
  userId: z.string(),
  channelId,
  /** The channel's name at that time: a former member can't ask for it. Empty in items that an older version kept. */
  channelName: z.string().default(''),
  /** Counts up: the order in which messages are sent. */
  order: z.number(),
  text: z.string(),
  image: image.nullable(),
  /** By this device's clock, ms. */
  createdAt: z.number(),
  /** Why the server refused it; null if it was not refused. */
  failure: z.enum([...errorCode.options, ...CLIENT_ERROR_CODES]).nullable(),
});
export type OutboxItem = z.infer<typeof outboxItem>;

/** Why a message is not on the device: the device refused this message, or doesn't work at the moment. */
export type Lack = 'refused' | 'failing';

/**
 * The store of waiting messages. Never rejects: it keeps in memory whatever the device can't keep, and writes it as
 * soon as possible.
 */
export interface OutboxStore {
  /**
   * Returns the user's messages, in any order. `isWhole` is false when the device can't be read: it may hold more of
   * them, and a missing message need not be gone.
   */
  list(userId: string): Promise<{ items: OutboxItem[]; isWhole: boolean }>;
  put(item: OutboxItem): Promise<void>;
  remove(clientId: ClientMessageId): Promise<void>;
  /** Why this message is only in memory; undefined when it is on the device or just being written. */
  lackOf(clientId: ClientMessageId): Lack | undefined;
  /** Whether any message is only in memory. */
  hasLacks(): boolean;
  /** Whether the device keeps messages, as far as the last attempt shows. */
  isLasting(): boolean;
  /** Calls `listener` when that changes, and when messages from memory reach the device. */
  onChange(listener: () => void): () => void;
}

interface OutboxStores extends DBSchema {
  items: { key: ClientMessageId; value: unknown; indexes: { userId: string } };
}

export interface OutboxStoreDeps {
  /**
   * Keeps at once, for this tab, the texts that the device lacks: a reload or crash loses no text. It has no room for
   * images.
   */
  journal: Pick<AppStorage, 'keepUnsent' | 'forgetUnsent' | 'readUnsent'>;
}

/** First pause before the store tries a failing device again; doubles up to the longest, ms. */
export const RETRY_FIRST_MS = 2_000;
const RETRY_LONGEST_MS = 30_000;

/**
 * Uses IndexedDB, the only place that keeps images; uses memory while IndexedDB is missing, forbidden, full or broken.
 * Rules: CHATS23, CHATS30.
 */
export function openOutboxStore({ journal }: OutboxStoreDeps): OutboxStore {
  const database = deviceDatabase<OutboxStores>('pressel.outbox', (created) => {
    created.createObjectStore('items', { keyPath: 'clientId' }).createIndex('userId', 'userId');
  });
  const listeners = createListeners();
  /** Messages that are not on the device yet, in their latest version. */
  const unwritten = new Map<ClientMessageId, { item: OutboxItem; lack: Lack | undefined }>();
  /** Removed messages that may still be on the device. */
  const unremoved = new Set<ClientMessageId>();
  let isFailing = false;
  let retries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setFailing = (next: boolean): void => {
    if (next) retryLater();
    if (next === isFailing) return;
    isFailing = next;
    listeners.notify();
  };
  /** Whether the device answers at all. */
  const probe = async (): Promise<boolean> => {
    const isAnswered = await database
      .run((opened) => opened.count('items'))
      .then(
        () => true,
        () => false,
      );
    setFailing(!isAnswered);
    return isAnswered;
  };
  const write = async (clientId: ClientMessageId): Promise<void> => {
    const waiting = unwritten.get(clientId);
    if (waiting === undefined) return;
    try {
      await database.run((opened) => opened.put('items', waiting.item));
    } catch (error) {
      // The device refused this message if it answered and still answers: it has no room, or keeps no images.
      const isRefused = error instanceof DOMException && (await probe());
      waiting.lack = isRefused ? 'refused' : 'failing';
      if (isRefused) retryLater();
      else setFailing(true);
      return;
    }
    // Written again or removed meanwhile: that continues by itself.
    if (unwritten.get(clientId) !== waiting) return;
    unwritten.delete(clientId);
    journal.forgetUnsent(clientId);
  };
  const erase = async (clientId: ClientMessageId): Promise<void> => {
    try {
      await database.run((opened) => opened.delete('items', clientId));
    } catch {
      setFailing(true);
      return;
    }
    if (unremoved.delete(clientId)) journal.forgetUnsent(clientId);
  };
  /** Writes everything in memory to the device. */
  const catchUp = async (): Promise<void> => {
    // Probes even when there is nothing to write: messages on the device could not be read.
    if (!(await probe())) return;
    for (const clientId of [...unremoved]) await erase(clientId);
    for (const clientId of [...unwritten.keys()]) await write(clientId);
    if (timer === undefined) retries = 0;
    listeners.notify();
  };
  const retryLater = (): void => {
    const ms = Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** Math.min(retries, 10));
    timer ??= setTimeout(() => {
      timer = undefined;
      retries += 1;
      void catchUp();
    }, ms);
  };

  for (const [key, value] of journal.readUnsent()) {
    const clientId = clientMessageId.safeParse(key).data;
    const item = outboxItem.safeParse(value).data;
    if (item !== undefined) unwritten.set(item.clientId, { item, lack: undefined });
    else if (value === null && clientId !== undefined) unremoved.add(clientId);
  }
  if (unwritten.size + unremoved.size > 0) void catchUp();

  return {
    async list(userId) {
      // While the device is known to fail, messages don't wait for it: some browsers never answer.
      const found: unknown[] | undefined = isFailing
        ? undefined
        : await database.run((opened) => opened.getAllFromIndex('items', 'userId', userId)).catch(() => undefined);
      if (found === undefined) setFailing(true);
      // Items that another version stored in another shape stay where they are.
      const stored = (found ?? []).flatMap((one) => outboxItem.safeParse(one).data ?? []);
      const onDevice = stored.filter(({ clientId }) => !unwritten.has(clientId) && !unremoved.has(clientId));
      const inMemory = [...unwritten.values()].map(({ item }) => item).filter((item) => item.userId === userId);
      return { items: [...onDevice, ...inMemory], isWhole: found !== undefined };
    },
    async put(item) {
      const { clientId } = item;
      unremoved.delete(clientId);
      unwritten.set(clientId, { item, lack: isFailing ? 'failing' : undefined });
      if (item.image === null) journal.keepUnsent(clientId, item);
      if (!isFailing) await write(clientId);
    },
    async remove(clientId) {
      unwritten.delete(clientId);
      unremoved.add(clientId);
      journal.keepUnsent(clientId, null);
      if (!isFailing) await erase(clientId);
    },
    lackOf: (clientId) => unwritten.get(clientId)?.lack,
    hasLacks: () => [...unwritten.values()].some(({ lack }) => lack !== undefined),
    isLasting: () => !isFailing,
    onChange: listeners.add,
  };
}
