import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { within } from './within.ts';

/** Time limit, ms: a database that doesn't answer, or that another tab blocks, must not hold up a screen or a message. */
export const ANSWER_MAX_MS = 3_000;

/** A database in IndexedDB that opens when it is used, and opens again when its connection was lost. */
export interface DeviceDatabase<Stores extends DBSchema> {
  /**
   * Runs `act` on the open database. Rejects within `ANSWER_MAX_MS` if the device can't: forbidden, full, or blocked.
   * `act` may run twice, so it must be safe to repeat. After a rejection it is never started.
   */
  run<T>(act: (database: IDBPDatabase<Stores>) => Promise<T>): Promise<T>;
}

export function deviceDatabase<Stores extends DBSchema>(
  name: string,
  createStores: (database: IDBPDatabase<Stores>) => void,
): DeviceDatabase<Stores> {
  let opening: Promise<IDBPDatabase<Stores>> | undefined;

  /** The next use opens another connection. A dropped one that opens later is closed again. */
  const drop = (dropped: Promise<IDBPDatabase<Stores>> | undefined): void => {
    if (opening === dropped) opening = undefined;
    dropped?.then(
      (database) => database.close(),
      () => undefined,
    );
  };
  // Async, because the browser may refuse by throwing: in private windows, or where there is no IndexedDB at all.
  const open = async (): Promise<IDBPDatabase<Stores>> => {
    const opened: Promise<IDBPDatabase<Stores>> = openDB<Stores>(name, 1, {
      upgrade: createStores,
      // A newer version of the app, in another tab, wants to change the database.
      blocking: () => drop(opening),
      // The browser closed it: iOS does so while the app is in the background.
      terminated: () => drop(opening),
    });
    return await opened;
  };

  const attempt = async <T>(act: (database: IDBPDatabase<Stores>) => Promise<T>): Promise<T> => {
    opening ??= open();
    const used = opening;
    let isOver = false;
    const work = used.then((database) => {
      if (isOver) throw new Error(`${name} opened too late`);
      return act(database);
    });
    try {
      return await within(ANSWER_MAX_MS, work);
    } catch (error) {
      isOver = true;
      drop(used);
      throw error;
    }
  };

  return {
    async run(act) {
      try {
        return await attempt(act);
      } catch (error) {
        // WebKit fails the first use of a connection that it has lost in the background, and a new one works at once.
        if (!(error instanceof DOMException) || error.name === 'QuotaExceededError') throw error;
        return await attempt(act);
      }
    },
  };
}
