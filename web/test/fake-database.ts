import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach, vi } from 'vitest';

// Loading it puts one on the page. Each test gets its own, and tests of other files none: jsdom has none.
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
    // It closes the connections that modules keep, so that the next test has none of this one.
    for (const { name = '' } of await factory.databases()) {
      await new Promise((resolve) => {
        factory.deleteDatabase(name).onsuccess = resolve;
      });
    }
    vi.unstubAllGlobals();
  });
}
