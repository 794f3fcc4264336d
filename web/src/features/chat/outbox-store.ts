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

/** A message as it is kept on the device until the server has it. */
const outboxItem = z.object({
  clientId: clientMessageId,
  userId: z.string(),
  channelId,
  /** As it was called then: who is no member any more can't ask. Empty in what an older version kept. */
  channelName: z.string().default(''),
  /** Counts up: the order in which messages are sent. */
  order: z.number(),
  text: z.string(),
  image: image.nullable(),
  /** By this device's clock, ms. */
  createdAt: z.number(),
  /** Why the server refused it; null: it was not refused. */
  failure: z.enum([...errorCode.options, ...CLIENT_ERROR_CODES]).nullable(),
});
export type OutboxItem = z.infer<typeof outboxItem>;

/** Why a message is not on the device: the device refused this one, or can't be used at all at the moment. */
export type Lack = 'refused' | 'failing';

/** Where messages wait. Never rejects: what the device can't keep is kept in memory, and written as soon as it can. */
export interface OutboxStore {
  /**
   * The user's messages, in any order. `isWhole` is false when the device can't be read: more of them may lie there, and
   * nothing that is missing is known to be gone.
   */
  list(userId: string): Promise<{ items: OutboxItem[]; isWhole: boolean }>;
  put(item: OutboxItem): Promise<void>;
  remove(clientId: ClientMessageId): Promise<void>;
  /** Why this message is in memory only; undefined when it is on the device or just being written. */
  lackOf(clientId: ClientMessageId): Lack | undefined;
  /** Whether anything is in memory only. */
  hasLacks(): boolean;
  /** Whether the device keeps messages, as far as the last attempt shows. */
  isLasting(): boolean;
  /** Calls `listener` when that changes, and when what was in memory only is on the device. */
  onChange(listener: () => void): () => void;
}

interface OutboxStores extends DBSchema {
  items: { key: ClientMessageId; value: unknown; indexes: { userId: string } };
}

export interface OutboxStoreDeps {
  /** Has at once, for this tab, what the device lacks: a reload or crash loses no text. It has no room for images. */
  journal: Pick<AppStorage, 'keepUnsent' | 'forgetUnsent' | 'readUnsent'>;
}

/** A device that can't is tried again after this, doubling up to the longest, ms. */
export const RETRY_FIRST_MS = 2_000;
const RETRY_LONGEST_MS = 30_000;

/** In IndexedDB, which alone keeps images; in memory while that is missing, forbidden, full or broken. Rules: CHATS23, CHATS30. */
export function openOutboxStore({ journal }: OutboxStoreDeps): OutboxStore {
  const database = deviceDatabase<OutboxStores>('pressel.outbox', (created) => {
    created.createObjectStore('items', { keyPath: 'clientId' }).createIndex('userId', 'userId');
  });
  const listeners = createListeners();
  /** Not on the device yet, each as it was given last. */
  const unwritten = new Map<ClientMessageId, { item: OutboxItem; lack: Lack | undefined }>();
  /** Perhaps still on the device. */
  const unremoved = new Set<ClientMessageId>();
  let isFailing = false;
  let retries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setFailing = (next: boolean): void => {
    if (next) retryLater();
    if (next === isFailing) return;
    isFailing = next;
    listeners.tell();
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
      // It refused this one, if it answered and still answers: there is no room, or it keeps no images.
      const isRefused = error instanceof DOMException && (await probe());
      waiting.lack = isRefused ? 'refused' : 'failing';
      if (isRefused) retryLater();
      else setFailing(true);
      return;
    }
    // Given again or removed meanwhile: that goes on by itself.
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
  /** Brings the device up to what is in memory. */
  const catchUp = async (): Promise<void> => {
    // Also when nothing is to be written: what lies there could not be read.
    if (!(await probe())) return;
    for (const clientId of [...unremoved]) await erase(clientId);
    for (const clientId of [...unwritten.keys()]) await write(clientId);
    if (timer === undefined) retries = 0;
    listeners.tell();
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
      // While it is known to fail, messages don't wait for it: some browsers never answer.
      const found: unknown[] | undefined = isFailing
        ? undefined
        : await database.run((opened) => opened.getAllFromIndex('items', 'userId', userId)).catch(() => undefined);
      if (found === undefined) setFailing(true);
      // What another version stored in another shape is left where it is.
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
