import type { OpenOutbox, OutboxPage } from './chat.ts';
import { createOutbox } from './outbox.ts';
import { type OutboxStore, openOutboxStore } from './outbox-store.ts';
import { browserTabs } from './outbox-tabs.ts';

/** By the storage of a page, of which it has one. */
const stores = new WeakMap<OutboxPage['storage'], OutboxStore>();

/** The outbox with what the browser has to keep messages and to agree with other tabs. */
export const openBrowserOutbox: OpenOutbox = ({ storage, ...deps }) =>
  createOutbox({ ...deps, store: storeOf(storage), tabs: browserTabs() });

/**
 * The page's store, which outlives sign-outs: what the device could not keep is there for the same user, and written when
 * it can be. Closing the page would lose it, so that is asked about [CHATS30].
 */
function storeOf(storage: OutboxPage['storage']): OutboxStore {
  const known = stores.get(storage);
  if (known !== undefined) return known;
  const store = openOutboxStore({ journal: storage });
  stores.set(storage, store);
  window.addEventListener('beforeunload', (event) => {
    if (store.hasLacks()) event.preventDefault();
  });
  return store;
}
