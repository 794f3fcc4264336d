import { type ClientMessageId, sendMessage } from '@pressel/contract/chat';
import { createOutbox } from '#src/features/chat/outbox.ts';
import type { OutboxItem, OutboxStore } from '#src/features/chat/outbox-store.ts';
import { createListeners } from '#src/shared/listeners.ts';
import { createApiDouble } from './api-double.ts';
import { ME, messageOf } from './chat-bench.ts';
import { createRealtimeDouble } from './realtime-double.ts';

/** A device whose store outlives its pages. */
export function createDevice() {
  const kept = new Map<ClientMessageId, OutboxItem>();
  const pages = new Set<() => void>();
  const locks = new Map<string, Promise<void>>();
  const changes = createListeners();
  let isFailing = false;
  const store: OutboxStore = {
    isLasting: () => !isFailing,
    hasLacks: () => false,
    lackOf: () => undefined,
    onChange: changes.add,
    list: async (userId) => ({
      // A new blob each time, as IndexedDB returns it.
      items: isFailing ? [] : [...kept.values()].filter((item) => item.userId === userId).map(withNewBlob),
      isWhole: !isFailing,
    }),
    put: async (item) => void kept.set(item.clientId, item),
    remove: async (clientId) => void kept.delete(clientId),
  };
  return {
    kept,
    setFailing(next: boolean) {
      isFailing = next;
      changes.notify();
    },
    open(options: { userId?: string; hasLocks?: boolean } = {}) {
      const { userId = ME, hasLocks = true } = options;
      const api = createApiDouble();
      const realtime = createRealtimeDouble();
      const heard: (() => void)[] = [];
      const hear = () => {
        for (const listener of heard) listener();
      };
      pages.add(hear);
      const outbox = createOutbox({
        api,
        realtime,
        userId,
        store,
        random: () => 0.5,
        tabs: {
          exclusive(name, act) {
            if (!hasLocks) return act();
            const turn = (locks.get(name) ?? Promise.resolve()).then(act);
            locks.set(name, turn);
            return turn;
          },
          post: () => {
            for (const page of pages) if (page !== hear) page();
          },
          on: (listener) => {
            heard.push(listener);
            return () => heard.splice(heard.indexOf(listener), 1);
          },
          close: () => pages.delete(hear),
        },
      });
      return {
        api,
        realtime,
        outbox,
        texts: () => api.inputs(sendMessage).map(({ message }) => message),
        shown: () => outbox.getSnapshot().entries.map(({ text, state }) => `${text}: ${state}`),
      };
    },
  };
}

const withNewBlob = (item: OutboxItem): OutboxItem =>
  item.image === null ? item : { ...item, image: { ...item.image, blob: new Blob([item.image.blob]) } };

/** A server that stores one message per clientId. */
export function createServer() {
  const stored = new Map<string, string>();
  return {
    stored,
    answer: ({ message, clientId = '' }: { message: string; clientId?: string | undefined }) => {
      if (!stored.has(clientId)) stored.set(clientId, message);
      return { success: true, message: messageOf(stored.size, { textMsg: message, userId: ME, clientId }) };
    },
    texts: () => [...stored.values()],
  };
}
