import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach, vi } from 'vitest';

// Importing the fake defines a global IndexedDB. Each test gets its own, and tests of other files get none, because
// jsdom has none.
Reflect.deleteProperty(globalThis, 'indexedDB');

/** Gives each test of a file an IndexedDB of its own. Call once per file. */
export function setUpDatabase(): void {
  let factory: IDBFactory;
  beforeEach(() => {
    factory = new IDBFactory();
    vi.stubGlobal('indexedDB', factory);
  });
  afterEach(async () => {
    vi.useRealTimers();
    // Closes the connections that modules keep, so that the next test sees none of this one.
    for (const { name = '' } of await factory.databases()) {
      await new Promise((resolve) => {
        factory.deleteDatabase(name).onsuccess = resolve;
      });
    }
    vi.unstubAllGlobals();
  });
}
