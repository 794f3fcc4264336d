import { type ClientMessageId, clientMessageId } from '@pressel/contract/chat';
import { errorCode } from '@pressel/contract/errors';
import { channelId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import { CLIENT_ERROR_CODES } from '#src/shared/api/api-error.ts';
import { within } from '#src/shared/within.ts';

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

/** Where messages wait. Never rejects: what can't be kept on the device is kept in memory. */
export interface OutboxStore {
  /** The user's messages, in any order. */
  list(userId: string): Promise<OutboxItem[]>;
  put(item: OutboxItem): Promise<void>;
  remove(clientId: ClientMessageId): Promise<void>;
  /** False once something could not be kept on the device: a reload loses it. */
  isLasting(): boolean;
}

const DATABASE = 'pressel.outbox';
const ITEMS = 'items';
const BY_USER = 'userId';
/** A database that another tab blocks must not hold up what is to be sent, ms. */
const STORE_MAX_MS = 3_000;

/** In IndexedDB, which alone keeps images; in memory where it is missing, forbidden or full. */
export function openOutboxStore(factory: IDBFactory | undefined = globalThis.indexedDB): OutboxStore {
  const memory = new Map<ClientMessageId, OutboxItem>();
  let isLasting = true;
  let opening: Promise<IDBDatabase> | undefined;
  const database = (): Promise<IDBDatabase> => {
    opening ??= openDatabase(factory);
    return opening;
  };
  const attempt = async <T>(act: (items: IDBObjectStore) => IDBRequest<T>, mode: IDBTransactionMode) => {
    try {
      const work = database().then((opened) => transact(opened, act, mode));
      return { ok: true as const, value: await within(STORE_MAX_MS, work) };
    } catch {
      isLasting = false;
      return { ok: false as const };
    }
  };
  return {
    isLasting: () => isLasting,
    async list(userId) {
      const found = await attempt<unknown[]>((items) => items.index(BY_USER).getAll(userId), 'readonly');
      // What another version stored in another shape is left where it is.
      const stored = found.ok ? found.value.flatMap((one) => outboxItem.safeParse(one).data ?? []) : [];
      return [...stored.filter(({ clientId }) => !memory.has(clientId)), ...ofUser(memory, userId)];
    },
    async put(item) {
      memory.set(item.clientId, item);
      const kept = await attempt((items) => items.put(item), 'readwrite');
      if (kept.ok) memory.delete(item.clientId);
    },
    async remove(clientId) {
      memory.delete(clientId);
      await attempt((items) => items.delete(clientId), 'readwrite');
    },
  };
}

const ofUser = (memory: ReadonlyMap<ClientMessageId, OutboxItem>, userId: string): OutboxItem[] =>
  [...memory.values()].filter((item) => item.userId === userId);

function openDatabase(factory: IDBFactory | undefined): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    if (factory === undefined) return reject(new Error('No IndexedDB'));
    const request = factory.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(ITEMS, { keyPath: 'clientId' }).createIndex(BY_USER, BY_USER);
    };
    request.onsuccess = () => {
      // A newer version of the app, in another tab, wants to change the database.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

function transact<T>(
  database: IDBDatabase,
  act: (items: IDBObjectStore) => IDBRequest<T>,
  mode: IDBTransactionMode,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(ITEMS, mode);
    const request = act(transaction.objectStore(ITEMS));
    // Not before: a write that was answered may still be undone, by a full disk.
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}
