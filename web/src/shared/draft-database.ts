import type { Session } from './session.ts';
import { within } from './within.ts';

/** What was prepared and not sent (IMP28). */
const DATABASE = 'pressel.drafts';
const ITEMS = 'items';
/** When each was written: what is old is found without reading it. */
const TIMES = 'times';
/** A database that another tab blocks must not hold up a screen, ms. */
const ANSWER_MAX_MS = 3_000;
/** What is older is forgotten at the next start of the app, ms (IMP28). */
const KEPT_MS = 86_400_000;

/** Values by key, on this device. Each call rejects when the device can't. */
export const draftDatabase = {
  get: (key: string): Promise<unknown> => transact('readonly', (items) => items.get(key)),
  put: (key: string, value: unknown): Promise<void> =>
    transact('readwrite', (items, times) => {
      times.put(Date.now(), key);
      return items.put(value, key);
    }).then(() => {}),
  /** Removes the value if `isIt` says so of it. */
  remove: (key: string, isIt: (value: unknown) => boolean): Promise<void> =>
    transact('readwrite', (items, times) => {
      const found = items.get(key);
      found.onsuccess = () => {
        if (!isIt(found.result)) return;
        times.delete(key);
        items.delete(key);
      };
      return null;
    }).then(() => {}),
};

/** Forgets what is older than a day, and everything when the session ends; for as long as the page is open. */
export function bindDrafts(session: Pick<Session, 'getSnapshot' | 'subscribe'>): void {
  forgetOld();
  session.subscribe(() => {
    const state = session.getSnapshot();
    // 'none': this tab never had one, and another may be at work.
    if (state.state === 'signedOut' && state.reason !== 'none') forgetAll();
  });
}

/** Where it is forbidden, nothing was kept either. */
function forgetAll(): void {
  transact('readwrite', (items, times) => {
    times.clear();
    return items.clear();
  }).catch(() => {});
}

function forgetOld(): void {
  transact('readwrite', (items, times) => {
    const walk = times.openCursor();
    walk.onsuccess = () => {
      const { result } = walk;
      if (result === null) return;
      if (Date.now() - Number(result.value) > KEPT_MS) {
        items.delete(result.primaryKey);
        result.delete();
      }
      result.continue();
    };
    return null;
  }).catch(() => {});
}

async function transact(
  mode: IDBTransactionMode,
  act: (items: IDBObjectStore, times: IDBObjectStore) => IDBRequest | null,
): Promise<unknown> {
  const database = await within(ANSWER_MAX_MS, open());
  try {
    return await within(
      ANSWER_MAX_MS,
      new Promise((resolve, reject) => {
        const transaction = database.transaction([ITEMS, TIMES], mode);
        const request = act(transaction.objectStore(ITEMS), transaction.objectStore(TIMES));
        // Not before: a write that was answered may still be undone, by a full disk.
        transaction.oncomplete = () => resolve(request ? request.result : undefined);
        transaction.onabort = () => reject(transaction.error);
      }),
    );
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const factory: IDBFactory | undefined = globalThis.indexedDB;
    if (factory === undefined) return reject(new Error('No IndexedDB'));
    const request = factory.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(ITEMS);
      request.result.createObjectStore(TIMES);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
