import { z } from '@pressel/contract/zod';
import { createListeners } from '#src/shared/listeners.ts';

/** Coordination between the tabs of one browser. */
export interface Tabs {
  /** Runs `act` while no other awake tab runs one of that name. */
  exclusive(name: string, act: () => Promise<void>): Promise<void>;
  /** Tells the other tabs that the store has changed. */
  post(): void;
  on(listener: () => void): () => void;
  close(): void;
}

const NAME = 'pressel.outbox';
/** A tab that waits for its turn asks this often which tab has it, and waits as long for the answer, ms. */
export const ASK_MS = 5_000;

const news = z.union([z.literal('changed'), z.object({ asks: z.string() }), z.object({ has: z.string() })]);

/**
 * Uses the browser's locks, which exist on secure pages only; and a phone may let a tab sleep with its lock. Then two
 * tabs may send the same message. The server stores it only once, by its clientId [CHATS26].
 */
export function browserTabs(): Tabs {
  const listeners = createListeners();
  const answers = createListeners<string>();
  const turns = new Set<string>();
  const asking = new Set<() => void>();
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(NAME) : undefined;
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const told = news.safeParse(data).data;
    if (told === undefined) return;
    if (told === 'changed') listeners.notify();
    else if ('has' in told) answers.notify(told.has);
    else if (turns.has(told.asks)) channel.postMessage({ has: told.asks });
  });

  /** Calls `onSilence` when no tab answers that it has the turn. Returns the function that ends the asking. */
  const askWhoseTurn = (name: string, onSilence: () => void): (() => void) => {
    let timer: ReturnType<typeof setTimeout>;
    const ask = () => {
      timer = setTimeout(onSilence, ASK_MS);
      channel?.postMessage({ asks: name });
    };
    const askLater = () => {
      clearTimeout(timer);
      timer = setTimeout(ask, ASK_MS);
    };
    const unsubscribe = answers.add((answered) => {
      if (answered === name) askLater();
    });
    const stop = () => {
      clearTimeout(timer);
      unsubscribe();
      asking.delete(stop);
    };
    asking.add(stop);
    askLater();
    return stop;
  };

  return {
    async exclusive(name, act) {
      let isBegun = false;
      const waiting = new AbortController();
      const stopAsking = askWhoseTurn(name, () => waiting.abort());
      const begin = async (): Promise<void> => {
        isBegun = true;
        stopAsking();
        turns.add(name);
        try {
          await act();
        } finally {
          turns.delete(name);
        }
      };
      if (!('locks' in navigator)) return begin();
      try {
        await navigator.locks.request(`${NAME}.${name}`, { signal: waiting.signal }, begin);
      } catch (error) {
        if (isBegun) throw error;
        await begin();
      }
    },
    post: () => channel?.postMessage('changed'),
    on: listeners.add,
    close() {
      for (const stop of [...asking]) stop();
      channel?.close();
    },
  };
}
