import { createListeners } from '#src/shared/listeners.ts';

/** What the tabs of one browser agree on. */
export interface Tabs {
  /** Runs `act` while no other tab runs one of that name. */
  exclusive(name: string, act: () => Promise<void>): Promise<void>;
  /** Tells the other tabs that the store has changed. */
  post(): void;
  on(listener: () => void): () => void;
  close(): void;
}

const NAME = 'pressel.outbox';

/**
 * By the browser's locks. They exist on secure pages only: without them two tabs may send the same message, which the
 * server stores once all the same, by its clientId [CHATS26].
 */
export function browserTabs(): Tabs {
  const listeners = createListeners();
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(NAME) : undefined;
  channel?.addEventListener('message', () => listeners.tell());
  return {
    exclusive: (name, act) => ('locks' in navigator ? navigator.locks.request(`${NAME}.${name}`, act) : act()),
    post: () => channel?.postMessage('changed'),
    on: listeners.add,
    close: () => channel?.close(),
  };
}
