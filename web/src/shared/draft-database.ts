import type { DBSchema } from 'idb';
import { deviceDatabase } from './device-database.ts';
import type { Session } from './session.ts';

interface DraftStores extends DBSchema {
  items: { key: string; value: unknown };
  /** When each was written: what is old is found without reading it. */
  times: { key: string; value: number };
}

/** What is older is forgotten at the next start of the app, ms (IMP28). */
const KEPT_MS = 86_400_000;

/** Each key ends with its user: what is prepared on this device belongs to one user, and goes with their session. */
const keyOf = (name: string, userId: string): string => `${name} ${userId}`;

const database = deviceDatabase<DraftStores>('pressel.drafts', (created) => {
  created.createObjectStore('items');
  created.createObjectStore('times');
});

/** Removes each entry whose key and time are as asked. Where the device can't, nothing was kept either. */
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

/** What was prepared on this device and not sent, by user. Each call rejects when the device can't. */
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
        // A reload at this moment would undo what is not committed yet.
        writing.commit(),
        // A write that was answered may still be undone, by a full disk.
        writing.done,
      ]);
    }),
  /** Removes the value if `isIt` says so of it. */
  remove: (name: string, userId: string, isIt: (value: unknown) => boolean): Promise<void> =>
    database.run(async (opened) => {
      const key = keyOf(name, userId);
      const writing = opened.transaction(['items', 'times'], 'readwrite');
      if (isIt(await writing.objectStore('items').get(key)))
        await Promise.all([writing.objectStore('items').delete(key), writing.objectStore('times').delete(key)]);
      await writing.done;
    }),
  /** Of the user's values whose names begin with `beginning`, keeps so many: those written last. Resolves to the names of the others. */
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

/** Forgets what is older than a day, and what a user prepared when their session ends; for as long as the page is open. */
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
