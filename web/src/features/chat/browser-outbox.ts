import { createOutbox, type Outbox, type OutboxDeps } from './outbox.ts';
import { openOutboxStore } from './outbox-store.ts';
import { browserTabs } from './outbox-tabs.ts';

/** The outbox with what the browser has to keep messages and to agree with other tabs. */
export const openBrowserOutbox = (deps: Pick<OutboxDeps, 'api' | 'realtime' | 'userId'>): Outbox =>
  createOutbox({ ...deps, store: openOutboxStore(), tabs: browserTabs() });
