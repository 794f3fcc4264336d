import { createOutbox, type Outbox, type OutboxDeps } from './outbox.ts';
import { type OutboxStore, type OutboxStoreDeps, openOutboxStore } from './outbox-store.ts';
import { browserTabs } from './outbox-tabs.ts';

/** Dependencies of an outbox. */
export interface OutboxPage extends Pick<OutboxDeps, 'api' | 'realtime' | 'userId'> {
  storage: OutboxStoreDeps['journal'];
}

export type OpenOutbox = (page: OutboxPage) => Outbox;

/** The outbox store of each page storage; a page has only one. */
const stores = new WeakMap<OutboxPage['storage'], OutboxStore>();

/** An outbox with the browser's storage, which agrees with other tabs. */
export const openBrowserOutbox: OpenOutbox = ({ storage, ...deps }) =>
  createOutbox({ ...deps, store: storeOf(storage), tabs: browserTabs() });

/**
 * The page's store, which outlives sign-outs: messages that the device could not keep stay for the same user, and are
 * written when possible. Closing the page would lose them, so the page asks first [CHATS30].
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
