import type { DBSchema } from 'idb';
import { deviceDatabase } from './device-database.ts';
import type { Session } from './session.ts';

interface DraftStores extends DBSchema {
  items: { key: string; value: unknown };
  /** The time when each was written, so that old entries are found without reading them. */
  times: { key: string; value: number };
}

/** Older entries are forgotten at the next start of the app, ms (IMP28). */
const KEPT_MS = 86_400_000;

/** Each key ends with its user: drafts on this device belong to one user, and go with their session. */
const keyOf = (name: string, userId: string): string => `${name} ${userId}`;

const database = deviceDatabase<DraftStores>('pressel.drafts', (created) => {
  created.createObjectStore('items');
  created.createObjectStore('times');
});

/** Removes the entries whose key and time `isIt` accepts. If the device can't, nothing was kept either. */
const forget = (isIt: (key: string, writtenAt: number) => boolean): Promise<void> =>
  database
    .run(async (opened) => {
      const writing = opened.transaction(['items', 'times'], 'readwrite');
      for await (const time of writing.objectStore('times')) {
        if (isIt(time.key, time.value))
          await Promise.all([writing.objectStore('items').delete(time.key), time.delete()]);
      }
      await writing.done;
    })
    .catch(() => undefined);

/** Unsent drafts on this device, by user. Each call rejects when the device can't. */
export const draftDatabase = {
  get: (name: string, userId: string): Promise<unknown> =>
    database.run((opened) => opened.get('items', keyOf(name, userId))),
  put: (name: string, userId: string, value: unknown): Promise<void> =>
    database.run(async (opened) => {
      const key = keyOf(name, userId);
      const writing = opened.transaction(['items', 'times'], 'readwrite');
      await Promise.all([
        writing.objectStore('times').put(Date.now(), key),
        writing.objectStore('items').put(value, key),
        // A reload now would undo uncommitted writes.
        writing.commit(),
        // A full disk may still undo a write that was answered.
        writing.done,
      ]);
    }),
  /** Removes the value if `isIt` accepts it. */
  remove: (name: string, userId: string, isIt: (value: unknown) => boolean): Promise<void> =>
    database.run(async (opened) => {
      const key = keyOf(name, userId);
      const writing = opened.transaction(['items', 'times'], 'readwrite');
      if (isIt(await writing.objectStore('items').get(key)))
        await Promise.all([writing.objectStore('items').delete(key), writing.objectStore('times').delete(key)]);
      await writing.done;
    }),
  /**
   * Keeps this many of the user's values whose names begin with `beginning`: those written last. Resolves to the names
   * of the others.
   */
  keepNewest: (beginning: string, userId: string, most: number): Promise<string[]> =>
    database.run(async (opened) => {
      const writing = opened.transaction(['items', 'times'], 'readwrite');
      const times = writing.objectStore('times');
      const written: { key: string; at: number }[] = [];
      for await (const { key, value: at } of times) {
        if (key.startsWith(beginning) && key.endsWith(keyOf('', userId))) written.push({ key, at });
      }
      const gone = written.sort((one, other) => other.at - one.at).slice(most);
      await Promise.all(gone.flatMap(({ key }) => [writing.objectStore('items').delete(key), times.delete(key)]));
      await writing.done;
      return gone.map(({ key }) => key.slice(0, -keyOf('', userId).length));
    }),
};

/** Forgets drafts older than a day. While the page is open, also forgets a user's drafts when their session ends. */
export function bindDrafts(session: Pick<Session, 'getSnapshot' | 'subscribe'>): void {
  const look = (): void => {
    const state = session.getSnapshot();
    if (state.state !== 'signedOut' || state.userId === undefined) return;
    const ending = ` ${state.userId}`;
    void forget((key) => key.endsWith(ending));
  };
  void forget((_, writtenAt) => Date.now() - writtenAt > KEPT_MS);
  look();
  session.subscribe(look);
}
